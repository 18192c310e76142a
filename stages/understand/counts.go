package understand

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vivavoice/viva/prompts"
)

// Count is a number of things that somebody speaks of: forty shops.
type Count struct {
	N     int
	Thing string // in the singular, to be compared by
	Whole bool   // it speaks of all of them, as of something known: the fourteen shops
	Text  string // as it was said, without the word that makes it whole
	For   int    // how many of something else need it, 0 where none are named: ten tests for a thousand versions
}

// leastCount is the smallest number that counts: two or three of something are said of any part of it.
const leastCount = 3

// Counts finds the numbers of things in a text. Times, money, shares and measures are left out: they change from one to the next.
func Counts(text, locale string) []Count {
	language := prompts.Language(locale)
	var out []Count
	switch language {
	case "en":
		lower := strings.ToLower(plain(text))
		out = countsEnglish(strings.Fields(lower))
		sentences := cutSentences(lower)
		for i := range out {
			c := &out[i]
			for _, sentence := range sentences {
				if whole := forEnglish(strings.Fields(sentence)); whole != c.N && strings.Contains(sentence, c.Text) {
					c.For = whole
				}
			}
		}
	case "zh":
		out = countsChinese(text)
	case "vi":
		out = countsVietnamese(strings.Fields(strings.ToLower(plain(text))))
	}
	return slices.DeleteFunc(out, func(c Count) bool { return c.N < leastCount })
}

var (
	wholeEnglish = words("the those these all our my both his her their")
	unitsEnglish = words("seconds minutes hours days nights mornings evenings weeks months quarters years times percent points dollars euros pounds cents " +
		"thousands millions grams kilos meters metres miles kilometers kilometres degrees bits bytes kilobytes megabytes gigabytes terabytes steps " +
		"milliseconds ways things kinds sorts types parts sides others rupees lakhs is was has this us as plus its always")
	numbersEnglish = map[string]int{
		"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
		"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
		"forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
	scalesEnglish = map[string]int{"hundred": 100, "thousand": 1000, "million": 1_000_000}
)

func words(list string) map[string]bool {
	out := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		out[word] = true
	}
	return out
}

func countsEnglish(said []string) []Count {
	var out []Count
	for i := 0; i < len(said); i++ {
		n, used := numberEnglish(said[i:])
		if used == 0 {
			continue
		}
		before, at := i, i+used
		i = at - 1
		whole := before > 0 && wholeEnglish[said[before-1]]
		if at+1 < len(said) && said[at] == "of" && strings.Trim(said[at+1], ".,;:!?") == "us" {
			out = append(out, Count{n, "of us", whole, strings.Join(said[before:at], " ") + " people", 0})
			continue
		}
		if c, found := countedEnglish(said, before, at, whole); found {
			c.N = n
			out = append(out, c)
		}
	}
	return out
}

// countedEnglish finds what a number counts, which stands from before to at: the thing, a time, or "them". An adjective may stand before the thing.
func countedEnglish(said []string, before, at int, whole bool) (Count, bool) {
	span := func(end int) string { return strings.Trim(strings.Join(said[before:end], " "), ".,;:!?") }
	n, _ := numberEnglish(said[before:])
	for skip := 0; skip < 2 && at < len(said); skip, at = skip+1, at+1 {
		word := strings.Trim(said[at], ".,;:!?")
		if several(word) || word == "people" {
			return Count{Thing: singular(word), Whole: whole, Text: span(at + 1)}, !unitsEnglish[word]
		}
		if rate, end := rateEnglish(said, at, skip == 0); rate != "" && n >= leastRate {
			return Count{Thing: strings.TrimRight(strconv.Itoa(n), "0") + "0 " + rate, Whole: skip == 0, Text: span(end)}, true
		}
		if thing := thingBefore(said[:before]); word == "of" && at+1 < len(said) && strings.Trim(said[at+1], ".,;:!?") == "them" && thing != "" {
			return Count{Thing: singular(thing), Whole: whole, Text: strings.Join(said[before:at], " ") + " " + thing}, true
		}
		if word != said[at] || unitsEnglish[word] { // a stop stands between, or a measure
			break
		}
	}
	return Count{}, false
}

// several reports whether a word looks like the plural of a thing.
func several(word string) bool {
	return len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")
}

// thingBefore is what "them" stands for: the several things that were named last, where that was the last word of a clause.
func thingBefore(said []string) string {
	if len(said) == 0 {
		return ""
	}
	last := said[len(said)-1]
	word := strings.Trim(last, ".,;:!?")
	if word == last || !several(word) || unitsEnglish[word] {
		return ""
	}
	return word
}

// leastRate is the smallest number of all that comes in a time which is compared with others.
const leastRate = 1000

// rateEnglish reads the time that a number is for, and where it ends: "a month", also behind "new ones". Two numbers for the same time are
// compared only where one of them is the other with a zero lost or gained: any other may be a number of something else.
func rateEnglish(said []string, at int, bare bool) (rate string, end int) {
	for bare && at < len(said) && (said[at] == "new" || said[at] == "ones" || said[at] == "of" || said[at] == "them") {
		at++
	}
	if at+1 >= len(said) || said[at] != "a" && said[at] != "per" && said[at] != "each" && said[at] != "every" {
		return "", 0
	}
	switch word := strings.Trim(said[at+1], ".,;:!?"); word {
	case "day", "week", "month", "year":
		return word, at + 2
	}
	return "", 0
}

// forEnglish is the large number that a sentence reckons for: "for a thousand".
func forEnglish(said []string) int {
	for i, word := range said {
		if word == "for" {
			if n, _ := numberEnglish(strings.FieldsFunc(strings.Join(said[i+1:], " "), func(c rune) bool { return strings.ContainsRune(" .;:!?,", c) })); n >= leastFor {
				return n
			}
		}
	}
	return 0
}

// leastFor is the smallest number that something is reckoned for.
const leastFor = 100

// numberEnglish reads a number at the beginning of what was said, and how many words it takes.
func numberEnglish(said []string) (n, used int) {
	sum, part := 0, 0
	for used < len(said) && used < 6 {
		word := said[used]
		if word == "a" && used == 0 && len(said) > 1 && scalesEnglish[said[1]] > 0 {
			part, used = 1, 1
			continue
		}
		if digits, err := strconv.Atoi(strings.ReplaceAll(word, ",", "")); err == nil && used == 0 {
			part, used = digits, used+1
			continue
		}
		value := 0
		for piece := range strings.SplitSeq(word, "-") {
			one, there := numbersEnglish[piece]
			if !there {
				value = -1
				break
			}
			value += one
		}
		scale := scalesEnglish[word]
		switch {
		case value > 0:
			part += value
		case scale > 0 && used > 0:
			part = max(part, 1) * scale
			if scale > 100 {
				sum, part = sum+part, 0
			}
		default:
			return sum + part, used
		}
		used++
	}
	return sum + part, used
}

// Numbers returns the numbers in a text from two on, in order.
func Numbers(text, locale string) []int {
	var out []int
	switch language := prompts.Language(locale); language {
	case "zh":
		for _, m := range numberChinesePattern.FindAllString(text, -1) {
			out = append(out, numberChinese(m))
		}
	case "en", "vi":
		read := numberEnglish
		if language == "vi" {
			read = numberVietnamese
		}
		said := strings.FieldsFunc(strings.ToLower(plain(text)), func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(".;:!?()\"", c) })
		for i := 0; i < len(said); i++ {
			said[i] = strings.Trim(said[i], ",")
			if n, used := read(said[i:]); used > 0 {
				out = append(out, n)
				i += used - 1
			}
		}
	}
	return slices.DeleteFunc(out, func(n int) bool { return n < 2 })
}

var numberChinesePattern = regexp.MustCompile(`[0-9]+|[一二两三四五六七八九十百千万]+`)

var countChinese = regexp.MustCompile(`(那|这|所有|全部)?(?:的)?([0-9]+|[一二两三四五六七八九十百千万]+)(个|家|名|位|条|台|张|座|只|份|项|间|辆|部|本|盏|棵|口)(\p{Han}{1,2})`)

func countsChinese(text string) []Count {
	var out []Count
	for _, m := range countChinese.FindAllStringSubmatch(text, -1) {
		thing := []rune(m[4])
		switch m[3] + string(thing[0]) {
		case "个月", "个小", "个星", "个人", "个百", "个钟", "个点", "个字": // times, shares, and people, of whom anybody counts others
			continue
		}
		out = append(out, Count{numberChinese(m[2]), m[3] + string(thing[0]), m[1] != "", m[2] + m[3] + m[4], 0})
	}
	return out
}

func numberChinese(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	digits := map[rune]int{'一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	scales := map[rune]int{'十': 10, '百': 100, '千': 1000}
	sum, part, digit := 0, 0, 0
	for _, c := range text {
		switch {
		case digits[c] > 0:
			digit = digits[c]
		case scales[c] > 0:
			part, digit = part+max(digit, 1)*scales[c], 0
		case c == '万':
			sum, part, digit = (sum+part+digit)*10_000, 0, 0
		}
	}
	return sum + part + digit
}

var (
	numbersVietnamese = map[string]int{
		"một": 1, "mốt": 1, "hai": 2, "ba": 3, "bốn": 4, "tư": 4, "năm": 5, "lăm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9, "mười": 10,
	}
	wholeVietnamese = words("đó này ấy kia đấy")
	unitsVietnamese = words("giây phút giờ tiếng ngày đêm tuần tháng năm lần phần nghìn ngàn triệu tỷ tỉ đồng cân mét ký kilô điểm cách thứ bước việc cái")
)

func countsVietnamese(said []string) []Count {
	var out []Count
	for i := 0; i < len(said); i++ {
		n, used := numberVietnamese(said[i:])
		if used == 0 || i+used >= len(said) {
			continue
		}
		thing := said[i+used]
		word := strings.Trim(thing, ".,;:!?")
		end := i + used
		if end+1 < len(said) && thing == word && !wholeVietnamese[strings.Trim(said[end+1], ".,;:!?")] {
			end++ // most things have two syllables
		}
		if !unitsVietnamese[word] && len([]rune(word)) > 1 && numbersVietnamese[word] == 0 {
			whole := end+1 < len(said) && wholeVietnamese[strings.Trim(said[end+1], ".,;:!?")] || i > 0 && said[i-1] == "cả"
			out = append(out, Count{n, word, whole, strings.Trim(strings.Join(said[i:end+1], " "), ".,;:!?"), 0})
		}
		i = max(i, i+used-1)
	}
	return out
}

func numberVietnamese(said []string) (n, used int) {
	if digits, err := strconv.Atoi(said[0]); err == nil {
		return digits, 1
	}
	for used < len(said) && used < 5 {
		word := said[used]
		value := numbersVietnamese[word]
		switch {
		case word == "mươi" && used > 0:
			n *= 10
		case word == "trăm" && used > 0:
			n *= 100
		case value > 0 && (used == 0 || said[used-1] == "mươi" || said[used-1] == "mười" || said[used-1] == "trăm"):
			n += value
		default:
			return n, used
		}
		used++
	}
	return n, used
}
