package e2e

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/livekit/protocol/auth"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/assessment"
	"github.com/vivavoice/viva/agent/evaluator"
	"github.com/vivavoice/viva/agent/web"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/state/store"
)

// marker is a word in all that the judge writes, and in nothing else.
const marker = "marzipan"

// reportsKey opens all reports of a site.
const reportsKey = "the key of the tests, long enough"

// bureau is an office that keeps what it hears and makes of it, and the site where reports are read.
type bureau struct {
	*office
	database *store.Store
	site     *httptest.Server
	judge    *judge
}

// openBureau opens one with these engines.
func openBureau(t *testing.T, engines agent.Engines) *bureau {
	t.Helper()
	b := &bureau{judge: newJudge()}
	kept := filepath.Join(artifacts(t), roomName(t))
	sound := filepath.Join(kept, "recordings")
	if err := os.MkdirAll(sound, 0o750); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(sound)
	if err != nil {
		t.Fatal(err)
	}
	if b.database, err = store.Open(t.Context(), filepath.Join(kept, "interviews.db"), zap.NewNop()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.database.Close() }) // the worker has ended before
	t.Cleanup(func() { _ = root.Close() })       // nothing to lose
	archive := web.StoreArchive{Store: b.database, Sound: root}
	pages, err := web.NewReports(web.ReportsOptions{Archive: archive, Key: reportsKey})
	if err != nil {
		t.Fatal(err)
	}
	b.site = httptest.NewServer(pages)
	t.Cleanup(b.site.Close)
	b.office = open(t, plan{engines: engines, archive: b.database, equip: func(o *agent.Options) {
		o.Judge = b.judge.judge
		o.Recordings = &agent.Recordings{Folder: root, Index: b.database}
		o.LinkHash = func(session string) string { return web.LinkHash(linkToken(session)) }
		o.Link = func(session string) string { return b.site.URL + "/r/" + linkToken(session) }
	}})
	return b
}

func linkToken(session string) string { return "for-" + session }

// get reads a page of the site.
func (b *bureau) get(url string) (status int, kind string, body []byte) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := b.site.Client().Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // read only
	if body, err = io.ReadAll(answer.Body); err != nil {
		b.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header.Get("Content-Type"), body
}

// judge judges by the rules, signs what it writes, and counts.
type judge struct {
	rules *evaluator.Local

	mu    sync.Mutex
	items map[string]int // guarded by mu: how often each was judged
}

func newJudge() *judge {
	return &judge{rules: evaluator.NewLocal(nil, nil), items: map[string]int{}}
}

var _ assessment.Judge = (*judge)(nil).judge

func (j *judge) judge(ctx context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
	j.mu.Lock()
	j.items[it.ID]++
	j.mu.Unlock()
	e, err := j.rules.Judge(ctx, by, it)
	e.Feedback = strings.TrimSpace(e.Feedback + " This is " + marker + ".")
	return e, err
}

// judged are the items and how often each was judged.
func (j *judge) judged() map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	items := map[string]int{}
	for item, n := range j.items {
		items[item] = n
	}
	return items
}

// checkJudged: each of the items was judged once, told the interview once, and kept.
func (b *bureau) checkJudged(r record, session string, items ...string) {
	b.t.Helper()
	told := map[string]int{}
	for _, ev := range r.events {
		if e, is := ev.(engine.Judged); is {
			told[e.Item]++
		}
	}
	kept := map[string]int{}
	evaluations, err := b.database.Evaluations(b.t.Context(), session)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, e := range evaluations {
		kept[e.Item]++
	}
	asked := map[string]int{}
	for _, j := range r.user.Judgements {
		asked[j.Item]++
		if len(j.Evaluation) == 0 || j.Missing != "" {
			b.t.Errorf("%s was not judged: %q", j.Item, j.Missing)
		}
	}
	for what, n := range map[string]map[string]int{"judged": b.judge.judged(), "told": told, "kept": kept, "asked for": asked} {
		for _, item := range items {
			if n[item] != 1 {
				b.t.Errorf("%s was %s %d times, want once", item, what, n[item])
			}
		}
		if len(n) != len(items) {
			b.t.Errorf("%s: %v, want %q and no other", what, n, items)
		}
	}
}

// checkReadable: the candidate's link opens the report they were sent; a guess and a missing key open nothing.
func (b *bureau) checkReadable(e assessment.Envelope, session string) {
	b.t.Helper()
	status, kind, page := b.get(e.Link)
	if status != http.StatusOK || !strings.HasPrefix(kind, "text/html") || !strings.Contains(string(page), html.EscapeString(e.Report.Title)) {
		b.t.Errorf("%s gave %d, %s: %.200s", e.Link, status, kind, page)
	}
	for _, closed := range []string{"/r/" + linkToken("another"), "/reports/" + session, "/api/reports/" + session} {
		if status, _, body := b.get(b.site.URL + closed); strings.Contains(string(body), e.Report.Spoken) {
			b.t.Errorf("%s is open to everybody: %d", closed, status)
		}
	}
	kept, err := b.database.Report(b.t.Context(), session)
	if err != nil || !strings.Contains(string(kept), session) {
		b.t.Errorf("the store has the report %.80s, %v", kept, err)
	}
}

// message is what a page was sent.
type message struct{ topic, text string }

// onlooker is a second page in the room that nobody sees: it is sent what the candidate's page is, and keeps it.
type onlooker struct {
	mu   sync.Mutex
	seen []message // guarded by mu
}

// watch takes a seat until the test ends.
func watch(t *testing.T, room string) *onlooker {
	t.Helper()
	token, err := auth.NewAccessToken(apiKey, apiSecret).SetIdentity("onlooker").
		SetVideoGrant(&auth.VideoGrant{RoomJoin: true, Room: room, Hidden: true}).ToJWT()
	if err != nil {
		t.Fatal(err)
	}
	o := &onlooker{}
	callbacks := lksdk.NewRoomCallback()
	callbacks.OnDataPacket = func(p lksdk.DataPacket, _ lksdk.DataReceiveParams) {
		if user, is := p.(*lksdk.UserDataPacket); is {
			o.note(user.Topic, string(user.Payload))
		}
	}
	r := lksdk.NewRoom(callbacks)
	for _, topic := range []string{assessment.Topic, "lk.transcription", "lk.chat"} {
		take := func(s *lksdk.TextStreamReader, _ string) { o.note(topic, s.ReadAll()) }
		if err := r.RegisterTextStreamHandler(topic, take); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.JoinWithToken(server.URL(), token, lksdk.WithAutoSubscribe(false)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Disconnect)
	return o
}

func (o *onlooker) note(topic, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, message{topic: topic, text: text})
}

// messages is what was sent so far, in order of its arrival.
func (o *onlooker) messages() []message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.seen)
}

// report waits for the report, and checks that it was sent once and that nothing told of a judgement before it (RX-20).
func (o *onlooker) report(t *testing.T) (e assessment.Envelope) {
	t.Helper()
	of := func(m message) bool { return m.topic == assessment.Topic }
	eventually(t, "report on "+assessment.Topic, func() bool { return slices.ContainsFunc(o.messages(), of) })
	all := o.messages()
	i := slices.IndexFunc(all, of)
	if err := json.Unmarshal([]byte(all[i].text), &e); err != nil || e.Report == nil {
		t.Fatalf("the page was sent no report: %v in %.200s", err, all[i].text)
	}
	if slices.ContainsFunc(all[i+1:], of) {
		t.Error("the report was sent twice")
	}
	for _, m := range all[:i] {
		for _, telling := range []string{marker, "evaluat", "judge", "score", "rubric"} {
			if strings.Contains(strings.ToLower(m.text), telling) {
				t.Errorf("%q was told before the report, on %s: %s", telling, m.topic, m.text)
			}
		}
	}
	return e
}
