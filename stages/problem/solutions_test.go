package problem_test

import (
	"container/heap"
	"math"
	"slices"
	"sort"
	"strings"
)

type (
	ints = []int
	span = [2]int
)

// over makes a solution of a function on one list of numbers.
func over[T any](f func(ints) T) func(args) any {
	return func(a args) any { return f(arg[ints](a, 0)) }
}

// with makes a solution of a function on a list of numbers and one number.
func with[T any](f func(ints, int) T) func(args) any {
	return func(a args) any { return f(arg[ints](a, 0), arg[int](a, 1)) }
}

func spans[T any](f func([]span) T) func(args) any {
	return func(a args) any { return f(arg[[]span](a, 0)) }
}

func text(f func(string) bool) func(args) any {
	return func(a args) any { return f(arg[string](a, 0)) }
}

func grid(f func([]string) int) func(args) any {
	return func(a args) any { return f(arg[[]string](a, 0)) }
}

var proofs = map[string]proof{
	"banner_poles": {over(bannerInwards), over(bannerPairs), map[string]func(args) any{
		"tallest_two": over(func(h ints) int {
			order := indexes(h)
			sort.SliceStable(order, func(i, j int) bool { return h[order[i]] > h[order[j]] })
			if len(h) < 2 {
				return 0
			}
			return banner(h, min(order[0], order[1]), max(order[0], order[1]))
		}),
		"neighbours": over(func(h ints) (best int) {
			for i := range max(0, len(h)-1) {
				best = max(best, banner(h, i, i+1))
			}
			return best
		}),
	}},
	"first_spoiled": firstBad,
	"first_failure": firstBad,
	"gift_pair": {with(pairLookup), with(pairBrute), map[string]func(args) any{
		"dearest_first": with(func(prices ints, value int) ints {
			order := indexes(prices)
			sort.SliceStable(order, func(i, j int) bool { return prices[order[i]] > prices[order[j]] })
			for _, i := range order {
				if prices[i] > value {
					continue
				}
				if j := slices.Index(prices, value-prices[i]); j >= 0 && j != i {
					return ints{min(i, j), max(i, j)}
				}
				return nil
			}
			return nil
		}),
		"stretch": with(func(prices ints, value int) ints {
			for from, to, sum := 0, 0, 0; to < len(prices); to++ {
				for sum += prices[to]; sum > value; from++ {
					sum -= prices[from]
				}
				if sum == value && to == from+1 {
					return ints{from, to}
				}
			}
			return nil
		}),
	}},
	"lamp_watch": {spans(mergeSorted), spans(mergeAgain), map[string]func(args) any{
		"by_end": spans(func(list []span) []span {
			slices.SortStableFunc(list, func(a, b span) int { return a[1] - b[1] })
			return join(list)
		}),
		"given_order": spans(join),
	}},
	"loudest_readings": {with(loudestHeap), with(loudestSorted), map[string]func(args) any{
		"beat_loudest": with(func(readings ints, k int) (kept ints) {
			for _, r := range readings {
				switch {
				case k == 0:
				case len(kept) < k:
					kept = append(kept, r)
				case r > slices.Max(kept):
					kept[slices.Index(kept, slices.Min(kept))] = r
				}
			}
			return descending(kept)
		}),
		"blocks": with(func(readings ints, k int) (out ints) {
			for i := range k {
				if part := readings[i*len(readings)/k : (i+1)*len(readings)/k]; len(part) > 0 {
					out = append(out, slices.Max(part))
				}
			}
			return descending(out)
		}),
	}},
	"market_stalls": {over(stallsBest), over(stallsAll), map[string]func(args) any{
		"alternate": over(func(earn ints) int {
			var sums [2]int
			for i, e := range earn {
				sums[i%2] += e
			}
			return max(sums[0], sums[1], 0)
		}),
		"largest_first": over(func(earn ints) (sum int) {
			order := indexes(earn)
			sort.SliceStable(order, func(i, j int) bool { return earn[order[i]] > earn[order[j]] })
			open := make(map[int]bool)
			for _, i := range order {
				if earn[i] > 0 && !open[i-1] && !open[i+1] {
					open[i] = true
					sum += earn[i]
				}
			}
			return sum
		}),
	}},
	"packing_log": {text(logPile), text(logRemove), map[string]func(args) any{
		"counters": text(func(log string) bool {
			for i := range kinds {
				if strings.Count(log, kinds[i][:1]) != strings.Count(log, kinds[i][1:]) {
					return false
				}
			}
			return true
		}),
		"mirror": text(func(log string) bool {
			for i := range len(log) / 2 {
				if !slices.Contains(kinds, string(log[i])+string(log[len(log)-1-i])) {
					return false
				}
			}
			return len(log)%2 == 0
		}),
	}},
	"playlist_stretch": {over(stretchWindow), over(stretchAll), map[string]func(args) any{
		"restart": over(func(songs ints) (best int) {
			seen := make(map[int]bool)
			for _, s := range songs {
				if seen[s] {
					seen = make(map[int]bool)
				}
				seen[s] = true
				best = max(best, len(seen))
			}
			return best
		}),
		"count_distinct": over(func(songs ints) int {
			seen := make(map[int]bool)
			for _, s := range songs {
				seen[s] = true
			}
			return len(seen)
		}),
	}},
	"step_counter": {with(sumsTotals), with(sumsAll), map[string]func(args) any{
		"grow_shrink": with(func(days ints, k int) (count int) {
			from, sum := 0, 0
			for to := range days {
				for sum += days[to]; sum > k && from < to; from++ {
					sum -= days[from]
				}
				if sum == k {
					count++
				}
			}
			return count
		}),
		"reset": with(func(days ints, k int) (count int) {
			sum := 0
			for _, d := range days {
				if sum += d; sum == k {
					count, sum = count+1, 0
				}
			}
			return count
		}),
	}},
	"stepping_stones": {over(stonesFurthest), over(func(stones ints) bool { return stonesFrom(stones, 0) }), map[string]func(args) any{
		"biggest_jump": over(func(stones ints) bool {
			at := 0
			for at < len(stones)-1 && stones[at] > 0 {
				at += stones[at]
			}
			return len(stones) > 0 && at >= len(stones)-1
		}),
		"zero_blocks": over(func(stones ints) bool { return len(stones) > 0 && !slices.Contains(stones, 0) }),
	}},
	"treasure_notes": {over(notesRunners), over(notesSteps), map[string]func(args) any{
		"back_to_first": over(func(next ints) any {
			at := start(next)
			for range 1000 {
				if at < 0 {
					return true
				}
				if at = next[at]; at == 0 {
					return false
				}
			}
			return "walks for ever"
		}),
		"last_only": over(func(next ints) any {
			at, last := start(next), -1
			for range 1000 {
				if at < 0 {
					return true
				}
				if next[at] == at || last >= 0 && next[at] == last {
					return false
				}
				at, last = next[at], at
			}
			return "walks for ever"
		}),
	}},
	"warehouse_robot": {grid(robotWaves), grid(robotRelax), map[string]func(args) any{
		"right_down": grid(func(floor []string) int { return robotMoves(floor, [][2]int{{0, 1}, {1, 0}}) }),
		"count_sides": grid(func(floor []string) int {
			if len(floor) == 0 {
				return -1
			}
			return len(floor) + len(floor[0]) - 2
		}),
	}},
	"door_log": {over(doorSeen), over(doorPairs), map[string]func(args) any{
		"neighbours": over(func(badges ints) int {
			for i := 1; i < len(badges); i++ {
				if badges[i] == badges[i-1] {
					return badges[i]
				}
			}
			return -1
		}),
		"sort_first": over(func(badges ints) int {
			slices.Sort(badges)
			for i := 1; i < len(badges); i++ {
				if badges[i] == badges[i-1] {
					return badges[i]
				}
			}
			return -1
		}),
	}},
	"room_plan": {spans(roomsSweep), spans(roomsMoment), map[string]func(args) any{
		"overlaps_of_one": spans(func(list []span) (most int) {
			for i := range list {
				n := 1
				for k := range list {
					if i != k && list[i][0] < list[k][1] && list[k][0] < list[i][1] {
						n++
					}
				}
				most = max(most, n)
			}
			return most
		}),
		"previous_only": spans(func(list []span) int {
			slices.SortStableFunc(list, func(a, b span) int { return a[0] - b[0] })
			rooms := min(1, len(list))
			for i := 1; i < len(list); i++ {
				if list[i][0] < list[i-1][1] {
					rooms++
				}
			}
			return rooms
		}),
	}},
}

func indexes(list ints) ints {
	out := make(ints, len(list))
	for i := range out {
		out[i] = i
	}
	return out
}

func descending(list ints) ints {
	slices.Sort(list)
	slices.Reverse(list)
	return list
}

func banner(h ints, i, j int) int { return min(h[i], h[j]) * (j - i) }

func bannerInwards(h ints) (best int) {
	for i, j := 0, len(h)-1; i < j; {
		best = max(best, banner(h, i, j))
		if h[i] < h[j] {
			i++
		} else {
			j--
		}
	}
	return best
}

func bannerPairs(h ints) (best int) {
	for i := range h {
		for j := i + 1; j < len(h); j++ {
			best = max(best, banner(h, i, j))
		}
	}
	return best
}

// firstBad finds the first that is bad in a row of good ones, then bad ones, counted from one.
var firstBad = proof{
	over(func(row ints) int {
		i := sort.Search(len(row), func(i int) bool { return row[i] == 1 })
		if i == len(row) {
			return -1
		}
		return i + 1
	}),
	over(func(row ints) int {
		for i, bad := range row {
			if bad == 1 {
				return i + 1
			}
		}
		return -1
	}),
	map[string]func(args) any{
		"first_hit": over(func(row ints) int {
			for from, to := 0, len(row); from < to; {
				mid := (from + to) / 2
				if row[mid] == 1 {
					return mid + 1
				}
				from = mid + 1
			}
			return -1
		}),
		"leaps": over(func(row ints) int {
			for i := 9; i < len(row); i += 10 {
				if row[i] == 1 {
					return i + 1
				}
			}
			if n := len(row); n > 0 && row[n-1] == 1 {
				return n
			}
			return -1
		}),
	},
}

func pairLookup(prices ints, value int) ints {
	at := make(map[int]int)
	for j, p := range prices {
		if i, seen := at[value-p]; seen {
			return ints{i, j}
		}
		at[p] = j
	}
	return nil
}

func pairBrute(prices ints, value int) ints {
	for i := range prices {
		for j := i + 1; j < len(prices); j++ {
			if prices[i]+prices[j] == value {
				return ints{i, j}
			}
		}
	}
	return nil
}

// join extends the last period by the next note if they touch.
func join(list []span) (out []span) {
	for _, s := range list {
		if n := len(out) - 1; n >= 0 && s[0] <= out[n][1] && out[n][0] <= s[1] {
			out[n] = span{min(out[n][0], s[0]), max(out[n][1], s[1])}
			continue
		}
		out = append(out, s)
	}
	return out
}

func mergeSorted(list []span) []span {
	slices.SortFunc(list, func(a, b span) int { return a[0] - b[0] })
	return join(list)
}

// mergeAgain marks every minute, and whether it goes on to the next.
func mergeAgain(list []span) (out []span) {
	const night = 100
	var on [night]bool
	for _, s := range list {
		for m := s[0]; m < s[1]; m++ {
			on[m] = true
		}
	}
	for m := range night {
		switch n := len(out) - 1; {
		case !on[m]:
		case n >= 0 && out[n][1] == m:
			out[n][1] = m + 1
		default:
			out = append(out, span{m, m + 1})
		}
	}
	return out
}

type pile struct{ sort.IntSlice }

func (p *pile) Push(x any) { p.IntSlice = append(p.IntSlice, x.(int)) }
func (p *pile) Pop() any {
	last := p.IntSlice[len(p.IntSlice)-1]
	p.IntSlice = p.IntSlice[:len(p.IntSlice)-1]
	return last
}

func loudestHeap(readings ints, k int) ints {
	var p pile
	for _, r := range readings {
		if heap.Push(&p, r); p.Len() > k {
			heap.Pop(&p)
		}
	}
	return descending(p.IntSlice)
}

func loudestSorted(readings ints, k int) ints {
	all := descending(slices.Clone(readings))
	return all[:min(k, len(all))]
}

func stallsBest(earn ints) int {
	before, last := 0, 0
	for _, e := range earn {
		before, last = last, max(last, before+e)
	}
	return last
}

func stallsAll(earn ints) (best int) {
	for set := range 1 << len(earn) {
		if set&(set<<1) != 0 {
			continue
		}
		sum := 0
		for i, e := range earn {
			if set>>i&1 == 1 {
				sum += e
			}
		}
		best = max(best, sum)
	}
	return best
}

// kinds are opening and closing of each kind of box.
var kinds = []string{"()", "[]", "{}"}

func logPile(log string) bool {
	var open []byte
	for i := range len(log) {
		if k := strings.IndexByte("([{", log[i]); k >= 0 {
			open = append(open, kinds[k][1])
			continue
		}
		if n := len(open) - 1; n < 0 || open[n] != log[i] {
			return false
		}
		open = open[:len(open)-1]
	}
	return len(open) == 0
}

func logRemove(log string) bool {
	for n := -1; n != len(log); {
		n = len(log)
		for _, k := range kinds {
			log = strings.ReplaceAll(log, k, "")
		}
	}
	return log == ""
}

func stretchWindow(songs ints) (best int) {
	last, from := make(map[int]int), 0
	for i, s := range songs {
		if at, seen := last[s]; seen {
			from = max(from, at+1)
		}
		last[s] = i
		best = max(best, i-from+1)
	}
	return best
}

func stretchAll(songs ints) (best int) {
	for i := range songs {
		for j := i; j < len(songs) && !slices.Contains(songs[i:j], songs[j]); j++ {
			best = max(best, j-i+1)
		}
	}
	return best
}

func sumsTotals(days ints, k int) (count int) {
	often, total := map[int]int{0: 1}, 0
	for _, d := range days {
		total += d
		count += often[total-k]
		often[total]++
	}
	return count
}

func sumsAll(days ints, k int) (count int) {
	for i := range days {
		sum := 0
		for _, d := range days[i:] {
			if sum += d; sum == k {
				count++
			}
		}
	}
	return count
}

func stonesFurthest(stones ints) bool {
	reach := 0
	for i, n := range stones {
		if i > reach {
			return false
		}
		reach = max(reach, i+n)
	}
	return len(stones) > 0
}

func stonesFrom(stones ints, at int) bool {
	if at >= len(stones)-1 {
		return len(stones) > 0
	}
	for n := 1; n <= stones[at]; n++ {
		if stonesFrom(stones, at+n) {
			return true
		}
	}
	return false
}

// start is the first note, -1 when there is none.
func start(next ints) int { return min(0, len(next)-1) }

func notesRunners(next ints) bool {
	for slow, fast := start(next), start(next); fast >= 0 && next[fast] >= 0; {
		slow, fast = next[slow], next[next[fast]]
		if slow == fast && fast >= 0 {
			return false
		}
	}
	return true
}

// notesSteps ends if as many steps as there are notes lead to the end.
func notesSteps(next ints) bool {
	at := start(next)
	for range next {
		if at >= 0 {
			at = next[at]
		}
	}
	return at < 0
}

func robotWaves(floor []string) int {
	return robotMoves(floor, [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}})
}

// robotMoves spreads from the first cell by the given moves.
func robotMoves(floor []string, moves [][2]int) int {
	if len(floor) == 0 || floor[0][0] == '#' {
		return -1
	}
	end := [2]int{len(floor) - 1, len(floor[0]) - 1}
	at := map[[2]int]int{{0, 0}: 0}
	for queue := [][2]int{{0, 0}}; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		for _, m := range moves {
			n := [2]int{c[0] + m[0], c[1] + m[1]}
			if n[0] < 0 || n[1] < 0 || n[0] > end[0] || n[1] > end[1] || floor[n[0]][n[1]] == '#' {
				continue
			}
			if _, seen := at[n]; !seen {
				at[n] = at[c] + 1
				queue = append(queue, n)
			}
		}
	}
	if seconds, reached := at[end]; reached {
		return seconds
	}
	return -1
}

// robotRelax lowers the distance of each cell by its neighbours until nothing changes.
func robotRelax(floor []string) int {
	if len(floor) == 0 {
		return -1
	}
	const far = math.MaxInt32
	rows, columns := len(floor), len(floor[0])
	at := func(d []int, r, c int) int {
		if r < 0 || c < 0 || r >= rows || c >= columns || floor[r][c] == '#' {
			return far
		}
		return d[r*columns+c]
	}
	d := slices.Repeat([]int{far}, rows*columns)
	if floor[0][0] != '#' {
		d[0] = 0
	}
	for range rows * columns {
		for i := range d {
			if r, c := i/columns, i%columns; floor[r][c] != '#' {
				d[i] = min(d[i], 1+min(at(d, r-1, c), at(d, r+1, c), at(d, r, c-1), at(d, r, c+1)))
			}
		}
	}
	if last := d[len(d)-1]; last < far {
		return last
	}
	return -1
}

func doorSeen(badges ints) int {
	seen := make(map[int]bool)
	for _, b := range badges {
		if seen[b] {
			return b
		}
		seen[b] = true
	}
	return -1
}

func doorPairs(badges ints) int {
	for i := range badges {
		if slices.Contains(badges[:i], badges[i]) {
			return badges[i]
		}
	}
	return -1
}

func roomsSweep(list []span) (most int) {
	var begins, ends ints
	for _, s := range list {
		begins, ends = append(begins, s[0]), append(ends, s[1])
	}
	slices.Sort(begins)
	slices.Sort(ends)
	for i, k := 0, 0; i < len(begins); i++ {
		for ends[k] <= begins[i] {
			k++
		}
		most = max(most, i-k+1)
	}
	return most
}

func roomsMoment(list []span) (most int) {
	for _, s := range list {
		n := 0
		for _, other := range list {
			if other[0] <= s[0] && s[0] < other[1] {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}
