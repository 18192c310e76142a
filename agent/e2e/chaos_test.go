package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

// What `make chaos` asks for: how many workers TestKills kills, and the seed of the moments.
const (
	killsVar = "VIVA_E2E_KILLS"
	seedVar  = "VIVA_E2E_SEED"
)

const (
	killsEach = 5                      // in one interview, which may change hands twenty times
	killsIn   = 10 * time.Second       // of the takeover: within this time the worker that has taken the interview up is killed, too
	killsAt   = 500 * time.Millisecond // as it takes over, for every fourth
	lastIn    = 40 * time.Second       // the same of the last kill, which may come at the goodbye, or too late
	offeredIn = 300 * time.Millisecond // of the offer, for every fourth that is killed before it holds the interview
	medianBar = 3 * time.Second        // from a kill to the next voice
	lateBar   = 5 * time.Second        // for 95 of 100
)

// toll is how long candidates waited for a voice after each kill of a series.
type toll struct {
	mu   sync.Mutex
	took []time.Duration // guarded by mu
	soon []time.Duration // guarded by mu: those of took after which a worker was killed that had only got its job
}

func (l *toll) note(took time.Duration, soon bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, took)
	if soon {
		l.soon = append(l.soon, took)
	}
}

// check holds the waits against the bars. A few of them say nothing of a percentile.
func (l *toll) check(t *testing.T, kills int) {
	t.Helper()
	slices.Sort(l.took)
	n := len(l.took)
	if n == 0 {
		t.Fatal("nobody was killed")
	}
	p50, p95 := l.took[n/2], l.took[n*95/100]
	t.Logf("%d kills of %d that were wanted; from the kill to the next voice: p50 %v, p95 %v, max %v",
		n, kills, p50.Round(time.Millisecond), p95.Round(time.Millisecond), l.took[n-1].Round(time.Millisecond))
	if slices.Sort(l.soon); len(l.soon) > 0 {
		t.Logf("%d of them had only got their job: p50 %v, max %v", len(l.soon), l.soon[len(l.soon)/2].Round(time.Millisecond), l.soon[len(l.soon)-1].Round(time.Millisecond))
	}
	median, late := medianBar, lateBar
	if n < 20 {
		median, late = slack*median, slack*late
	}
	if p50 > median || p95 > late {
		t.Errorf("longer than %v at the median or %v at the 95th percentile", median, late)
	}
}

// TestKills: workers' processes are killed at random moments of interviews, again and again, and each interview goes on to its end. What
// was answered is kept and not asked again, and there are never two voices.
func TestKills(t *testing.T) {
	t.Parallel()
	kills, seed := max(2, number(t, killsVar)), number(t, seedVar)
	waits := &toll{}
	t.Run("interviews", func(t *testing.T) {
		for n := 0; n*killsEach < kills; n++ {
			t.Run(fmt.Sprintf("seed%d-%d", seed, n), func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
				s := besiege(t, random, server, filepath.Join(t.TempDir(), "interviews.db"))
				s.left, s.waits = min(killsEach, kills-n*killsEach), waits
				s.strike = s.killHolder
				if s.soon = random.IntN(2) == 0; s.soon {
					s.arm()
				}
				s.begin()
				s.hold()
				s.check()
			})
		}
	})
	waits.check(t, kills)
}

func number(t *testing.T, variable string) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// answered is something that the candidate said, and the question that it answered.
type answered struct {
	text, question string
	at             time.Time
	kills          int  // that there had been
	sure           bool // the interviewer was there for certain
	taken          bool // the interviewer spoke on after it, and was not killed in between
}

// siege is an interview whose workers, or whose server, are killed.
type siege struct {
	*office         // nobody works there; it reads the journal
	url      string // of the database
	job      agent.Metadata
	database *store.Store
	guest    *guest
	random   *rand.Rand

	strike  func() bool // kills somebody if the time has come
	waits   *toll       // nil: nobody counts
	workers []*process  // two are alive
	left    int         // kills
	due     time.Time   // the next one
	struck  []time.Time
	heard   int             // kills after which a voice was heard
	tracks  map[string]bool // that were there at the last kill
	heir    *process        // who held the interview when due was set
	early   bool            // the last one killed had only got its job
	soon    bool            // the next kill is of the worker that is offered the next job
	doom    *doom           // of that worker; nil: not armed

	back  time.Time // when the server was there again
	given []answered
	seen  int // the interviewer's segments at the last answer
}

// besiege has a candidate wait in a room of that server, for one of two workers' processes with that database.
func besiege(t *testing.T, random *rand.Rand, at address, url string) *siege {
	t.Helper()
	s := &siege{office: &office{t: t, name: roomName(t), server: at, library: library(t)}, url: url, random: random}
	s.job = agent.Metadata{Interview: "two_stage"}
	if random.IntN(2) == 0 {
		s.job.Interview = "persona_interview"
	}
	database, err := store.Open(t.Context(), url, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() }) // nothing was written by it
	s.database, s.journals = database, database
	for range 2 {
		s.employ()
	}
	eventually(t, "registration of two workers", s.manned)
	s.guest = enter(t, visit{server: at})
	return s
}

// begin sends for an interviewer, and waits for one who comes.
func (s *siege) begin() {
	s.t.Helper()
	metadata := twoStage
	if s.job.Interview == "persona_interview" {
		metadata = personaJob
	}
	s.dispatch(s.name, metadata)
	if s.doom != nil {
		return // another one will
	}
	eventually(s.t, "interview", func() bool {
		all, err := s.database.LiveIn(s.t.Context(), s.name)
		return err == nil && len(all) > 0
	})
}

// employ starts another worker, and does not wait for it.
func (s *siege) employ() {
	s.workers = append(s.workers, launch(s.t, workerVar+"="+s.server.URL(), nameVar+"="+roomName(s.t), storeVar+"="+s.url, leaseVar+"=yes"))
}

// manned: all workers have registered.
func (s *siege) manned() bool {
	return !slices.ContainsFunc(s.workers, func(w *process) bool { return len(w.facts(registeredEvent)) == 0 })
}

// wait draws when the next kill is due.
func (s *siege) wait(since time.Time) {
	within := killsIn
	switch {
	case s.left == 1:
		within = lastIn
	case len(s.struck) > 0 && s.random.IntN(4) == 0:
		within = killsAt
	}
	s.due = since.Add(time.Duration(s.random.Int64N(int64(within))))
}

// over: the store or the journal has the end. The candidate sees it a little later.
func (s *siege) over() bool {
	all, err := s.database.List(s.t.Context(), store.Filter{})
	if err != nil || len(all.Sessions) == 0 {
		return false // it may be away
	}
	entries, err := s.database.Read(s.t.Context(), all.Sessions[0].ID)
	if err != nil || len(entries) == 0 {
		return false
	}
	interview, err := s.library.Find(s.job)
	if err != nil {
		s.t.Fatal(err)
	}
	u, err := interview.Fold(entries)
	state := all.Sessions[0].State
	return err == nil && u.Ended != "" || state != store.Live && state != store.Waiting
}

// holder is the worker that has the interview now, and since when.
func (s *siege) holder() (p *process, since time.Time) {
	for _, w := range s.workers {
		for _, name := range []string{"job.started", "session.taken_up"} {
			for _, f := range w.facts(name) {
				if f.At.After(since) {
					p, since = w, f.At
				}
			}
		}
	}
	return p, since
}

// hold talks, and has somebody killed, until the interview is over.
func (s *siege) hold() {
	s.t.Helper()
	polls := 0
	eventuallyWithin(s.t, "end of the interview", 4*patience, func() bool {
		s.listen()
		if s.left > 0 && s.strike() {
			s.left--
			s.struck = append(s.struck, time.Now())
		}
		if s.isMyTurn() {
			s.answer()
		}
		polls++
		return s.guest.latest("viva.state") == "done" || polls%50 == 0 && s.over()
	})
}

// killHolder kills the worker that holds the interview, or is about to.
func (s *siege) killHolder() bool {
	switch {
	case s.doom == nil && s.soon && s.manned():
		s.arm()
	case s.doom != nil && s.doom.struck.Load():
		select {
		case p := <-s.doom.fallen:
			s.t.Logf("killed %v after it was offered its job (begun: %t)", s.doom.after.Round(time.Millisecond), len(p.facts("job.started")) > 0)
			s.disarm()
			s.bury(p, true)
			return true
		default:
			return false
		}
	}
	if holder, since := s.holder(); holder != s.heir {
		s.heir = holder
		if holder != nil { // it got its job while there was nobody else to take it
			s.disarm()
		}
		s.wait(since)
	}
	if s.heir == nil || time.Now().Before(s.due) || !s.manned() {
		return false
	}
	if err := s.heir.Kill(); err != nil {
		s.t.Fatal(err)
	}
	s.bury(s.heir, false)
	return true
}

// bury has another worker in a dead one's place, as a supervisor does, and draws when that or another one dies.
func (s *siege) bury(p *process, early bool) {
	s.tracks = s.guest.ear.tracks()
	s.workers = slices.DeleteFunc(s.workers, func(w *process) bool { return w == p })
	s.employ()
	s.early, s.soon = early, s.left > 1 && s.random.IntN(4) == 0
}

// listen notes the first voice after a kill.
func (s *siege) listen() {
	if s.waits == nil || len(s.struck) == s.heard {
		return
	}
	last := s.struck[len(s.struck)-1]
	for _, sound := range s.guest.ear.since(last) {
		if !s.tracks[sound.track] {
			s.heard = len(s.struck)
			s.waits.note(sound.at.Sub(last), s.early)
			s.t.Logf("killed in %s, heard again after %v", s.guest.latest("viva.stage"), sound.at.Sub(last).Round(time.Millisecond))
			return
		}
	}
}

// isMyTurn: something was said to its end since the last answer, and the interviewer listens, as far as the candidate knows.
func (s *siege) isMyTurn() bool { return s.guest.heardOut(s.seen) }

// answer types something that was never said before.
func (s *siege) answer() {
	s.settle()
	said := s.guest.transcripts(false)
	words := said[len(said)-1].Text
	question := words[strings.LastIndexAny(strings.TrimRight(words, "?"), ".!?")+1:]
	text := "Yes, I am ready."
	if len(s.given) > 0 || s.job.Interview == "two_stage" {
		text = fmt.Sprintf("%s It was in project number %d.", answers[len(s.given)%len(answers)], len(s.given))
	}
	if s.left <= 1 && s.job.Interview == "persona_interview" && len(s.given) > 5 {
		text = "please stop the interview"
	}
	if err := s.guest.SendText("lk.chat", text); err != nil {
		return // the server is away
	}
	s.seen = len(said)
	s.given = append(s.given, answered{text: text, question: strings.TrimSpace(question), at: time.Now(), kills: len(s.struck),
		sure: time.Since(s.back) > reunion && s.isAttended()})
}

// isAttended: a voice was heard since the last kill. What is typed before reaches nobody, as where somebody dies right after a question.
func (s *siege) isAttended() bool { return s.waits == nil || s.heard == len(s.struck) }

// settle notes whether the last answer was taken.
func (s *siege) settle() {
	if n := len(s.given); n > 0 {
		s.given[n-1].taken = s.given[n-1].sure && s.given[n-1].kills == len(s.struck)
	}
}

// check: the interview ended as it should, with all that was taken, in its order, and with one voice at a time.
func (s *siege) check() {
	s.t.Helper()
	eventually(s.t, "end in the journal", s.over)
	left := (&accident{office: s.office}).sessionLeft(s.t)
	r := s.recordOfSession(left.ID, s.job)
	if left.State == store.Failed || r.user.Ended != "done" && r.user.Ended != "candidate_ended" {
		s.t.Errorf("the store has %+v, the journal ended with %q", left.Session, r.user.Ended)
	}
	s.checkAnswers(r)
	checkLedger(s.t, r)
	checkVoices(s.t, s.guest)
}

// checkAnswers: what was taken is in the journal once, what was not at most once, all in their order; and what was answered is not
// asked again in the same words.
func (s *siege) checkAnswers(r record) {
	s.t.Helper()
	var kept []string
	for _, turn := range r.user.Turns {
		if turn.Speaker == state.SpeakerCandidate {
			kept = append(kept, turn.Text)
		}
	}
	at := 0
	for _, given := range s.given {
		i := slices.Index(kept[at:], given.text)
		if i > 0 || i < 0 && given.taken {
			s.t.Errorf("the journal has %q, not in its place %q (taken: %v, at %v; killed at %v)", kept, given.text, given.taken, given.at, s.struck)
		}
		if i == 0 {
			at++
		}
	}
	if at != len(kept) {
		s.t.Errorf("the journal has %q, more than was said", kept)
	}
	said := s.guest.transcripts(false)
	for _, given := range s.given {
		if !given.taken || !strings.HasSuffix(given.question, "?") {
			continue
		}
		last := slices.IndexFunc(r.user.Turns, func(turn state.Turn) bool { return turn.Text == given.text })
		for _, turn := range r.user.Turns[last+1:] {
			if turn.Speaker == state.SpeakerAgent && strings.Contains(turn.Text, given.question) {
				s.t.Errorf("%q was asked again after the answer %q (%d segments)", given.question, given.text, len(said))
			}
		}
	}
}

// checkVoices: each interviewer was heard only after the one before had fallen silent for good.
func checkVoices(t *testing.T, g *guest) {
	t.Helper()
	var order []string
	for _, sound := range g.ear.since(time.Time{}) {
		switch i := slices.Index(order, sound.track); {
		case i < 0:
			order = append(order, sound.track)
		case i != len(order)-1:
			t.Errorf("the voice number %d of %d was heard at %v, when another had begun", i+1, len(order), sound.at)
			return
		}
	}
}

// checkLedger: no prompt was issued twice (R001-80).
func checkLedger(t *testing.T, r record) {
	t.Helper()
	asked := map[string]bool{}
	for stage, ids := range r.user.Ledger.Asked {
		for _, id := range ids {
			if asked[id] {
				t.Errorf("prompt %s was issued twice (the second time in %s)", id, stage)
			}
			asked[id] = true
		}
	}
}
