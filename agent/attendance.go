package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/agent/worker"
	"github.com/vivavoice/viva/pipeline/audio"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// Times of an attendance.
const (
	subscribeWait = 2 * time.Second  // for the candidate to receive the voice; then it speaks anyway
	refusalWait   = 10 * time.Second // for a candidate to tell that there is no interview
	emptyWait     = 5 * time.Minute  // for a candidate in an empty room
	promptWait    = time.Second      // who comes later than that was not waiting for the interviewer
)

// attendance is the interviewer in one room.
type attendance struct {
	i         *Interviewer
	job       worker.Job
	meta      Metadata
	interview *engine.Interview
	refusal   error
	late      error // why no new interview may begin, if what was left in the room cannot be gone on with
	log       *zap.Logger
	claim     *claim
	lease     lease
	lost      context.CancelCauseFunc // ends the session when another worker has it; set before the lease is taken
	ended     <-chan struct{}         // closed when lost was called; set with it
	guard     *guard.Guard            // catches the panics of its goroutines; nil: nothing does

	room     *room.Room
	presence *presence
	track    *room.Voice
	voice    *voice
	ears     *ears
	intake   *intake
	editor   *editor
	papers   *documents
	handout  handout
	tape     tape

	filing  filing
	session atomic.Pointer[session.Session]
	arrived chan room.Participant // one slot: the candidate
	arrive  sync.Once

	back       chan struct{}                 // closed when the room is there again; nil: it is. Belongs to the room's goroutine
	again      chan struct{}                 // closed when it is lost once more. Belongs to the room's goroutine
	partitions sync.WaitGroup                // who waits for that
	over       chan error                    // one slot: why there will be no interview any more
	gone       atomic.Pointer[session.Event] // what a session that begins later has to know of that
	taken      atomic.Pointer[[]string]      // what the candidate had said last in an interview that was taken up

	greetings greetings

	candidate string // identity of the candidate; belongs to the room's goroutine
	prompt    bool   // the candidate was there first; set before the session runs
	voiced    bool   // something was heard; belongs to the session's goroutine
}

var (
	// errNobody says that no candidate came.
	errNobody = errors.New("no candidate came into the room")
	// errAstray says that the interview may go on without this worker.
	errAstray = errors.New("the room was lost")
)

// join takes the seat: connect, publish the voice, and open the ears.
func (a *attendance) join(ctx context.Context) (err error) {
	a.arrived, a.over = make(chan room.Participant, 1), make(chan error, 1)
	a.greet(ctx, state.Candidate{})
	a.intake = newIntake(a.i.o.Metrics, func(topic string, payload []byte) error { return a.room.SendData(topic, payload) }, a.log)
	a.editor = newEditor(a.post)
	a.editor.guard = a.guard
	a.papers = newDocuments(a.i.o.PDF, a.post, a.received, a.guard, a.log)
	a.room, err = room.Join(ctx, room.Options{
		URL: a.job.URL, Token: a.job.Token, Guard: a.guard, Logger: a.log, Handler: a.handle,
		CandidateIdentity: a.meta.Candidate.Identity, ReconnectGrace: a.i.o.Grace, Files: []string{topicMaterial},
		Admit: a.admit,
	})
	if err != nil {
		a.awaitGreeting(ctx)
		return err
	}
	a.presence = newPresence(a.room, a.interview, a.guard, a.log)
	a.room.SetState("initializing")
	if err := a.equip(ctx); err != nil {
		return errors.Join(err, a.Leave(context.WithoutCancel(ctx)))
	}
	a.i.o.Metrics.joined(time.Since(a.claim.accepted()))
	return nil
}

func (a *attendance) equip(ctx context.Context) error {
	track, err := a.room.PublishVoice(ctx)
	if err != nil {
		return err
	}
	a.track = track
	a.presence.setTrack(track)
	return a.openVoice()
}

// openVoice makes the voice on the track, in place of one that there may be.
func (a *attendance) openVoice() error {
	if a.voice != nil {
		a.voice.close()
	}
	encoder, err := audio.NewEncoder(audio.VoiceBitrate)
	if err != nil {
		return err
	}
	a.voice, err = newVoice(a.i.o.Engines.TTS, fenced{a.track, &a.lease}, taped{encoder, &a.tape}, a.guard, a.log)
	return err
}

// Run holds the interview. It returns nil when it was held, to whatever end, and an error when there was none.
func (a *attendance) Run(ctx context.Context) error {
	ctx = guard.With(ctx, a.guard)
	if a.refusal != nil {
		a.giveUp(ctx, a.refusal)
		return a.refuse(ctx)
	}
	a.guard.Beside(&a.filing.WaitGroup, "filing", func() { a.saveWaiting(ctx) })
	who, err := a.await(ctx, emptyWait)
	if err == nil {
		err = a.claim.await(ctx, a.log)
	}
	if err != nil {
		a.giveUp(ctx, err)
		return err
	}
	return a.hold(ctx, who)
}

// await waits for the candidate, and until the voice can be heard.
func (a *attendance) await(ctx context.Context, wait time.Duration) (room.Participant, error) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	began := time.Now()
	var who room.Participant
	select {
	case <-ctx.Done():
		return who, context.Cause(ctx)
	case err := <-a.over:
		return who, err
	case <-timer.C:
		return who, errNobody
	case who = <-a.arrived:
	}
	a.prompt = time.Since(began) < promptWait
	heard, cancel := context.WithTimeout(ctx, subscribeWait)
	defer cancel()
	if err := a.track.WaitSubscribed(heard); err != nil && ctx.Err() == nil {
		a.log.Warn("voice.unsubscribed", zap.Duration("waited", subscribeWait))
	}
	return who, nil
}

// traced takes the record of an utterance that is over.
func (a *attendance) traced(ctx context.Context, t session.Trace, spans *spans) {
	a.i.o.Metrics.Trace(t)
	if lag, ok := t.Lag(); ok && a.i.o.Answered != nil {
		a.i.o.Answered(lag)
	}
	spans.turn(ctx, &t)
	if a.voiced || t.FirstPacket.IsZero() {
		return
	}
	a.voiced = true
	if a.prompt {
		a.i.o.Metrics.greeted(t.FirstPacket.Sub(a.claim.accepted()))
	}
}

// forget drops a journal that was only kept in memory.
func (a *attendance) forget(id string) {
	if m, ok := a.i.o.Store.(interface{ Discard(string) }); ok {
		m.Discard(id)
	}
}

// refuse tells the candidate, in the transcript, by voice and by attribute, that there is no interview; nobody is left
// alone in a silent room. The job fails with the reason.
func (a *attendance) refuse(ctx context.Context) error {
	a.room.SetAttributes(map[string]string{attributeState: "refused"})
	if _, err := a.await(ctx, refusalWait); err == nil {
		a.voice.tell(ctx, refusalWords, tts.Request{})
		a.presence.Said(1, refusalWords)
	}
	return a.refusal
}

const refusalWords = "I am sorry, this interview cannot be held: it was not set up correctly. Please tell the person who invited you. Goodbye."

// Leave leaves the room and stops what listens and speaks.
func (a *attendance) Leave(ctx context.Context) error {
	if a.voice != nil {
		a.voice.close()
	}
	a.editor.stop()
	a.papers.close(ctx)
	a.closeEars()
	a.awaitGreeting(ctx)
	a.filing.Wait()
	err := a.room.Leave(ctx)
	a.partitions.Wait() // hold has ended them, and the room begins no more
	return err
}

// closeEars stops listening, and forgets what listened.
func (a *attendance) closeEars() {
	if a.ears != nil {
		a.ears.close()
		a.ears = nil
	}
}

// handle takes the room's events, in order, on the room's goroutine.
func (a *attendance) handle(ev room.Event) {
	switch e := ev.(type) {
	case room.CandidateJoined:
		a.candidate = e.Participant.Identity
		a.arrive.Do(func() {
			a.greet(context.Background(), state.Candidate{Identity: e.Participant.Identity, Name: e.Participant.Name}) // it has a limit of its own
			a.arrived <- e.Participant
		})
	case room.ParticipantJoined:
		a.claim.joined(e.Participant)
	case room.ParticipantLeft:
		a.claim.left(e.Participant)
	case room.ParticipantAttributes:
		a.claim.attributes(e.Identity, e.Changed)
	case room.CandidateAway:
		a.post(engine.Away{})
	case room.CandidateBack:
		a.post(engine.Back{})
		a.showAgain()
	case room.CandidateGone:
		a.end(engine.Gone{Reason: e.Reason.String()}, fmt.Errorf("the candidate left: %s", e.Reason))
	case room.Disconnected:
		a.restored()
		if a.strayed(e.Reason) {
			return
		}
		err := fmt.Errorf("the room was lost: %s", e.Reason)
		if astray(e.Reason) {
			err = fmt.Errorf("%w: %s", errAstray, e.Reason)
		}
		a.end(engine.Stop{Reason: "disconnected"}, err)
	case room.Text:
		a.typed(e)
	case room.Data:
		a.packet(e)
	case room.File:
		a.handedIn(e)
	case room.Reconnected:
		a.restored()
		a.showAgain() // what was sent to the broken connection is lost
	case room.Reconnecting:
		a.broke()
	}
}

// showAgain shows the task to a candidate who may have missed it.
func (a *attendance) showAgain() {
	if a.session.Load() != nil {
		a.presence.returned()
		a.handout.again()
	}
}

// typed takes what the candidate typed, unless an interviewer that died had taken it.
func (a *attendance) typed(e room.Text) {
	if s := a.session.Load(); s != nil && (!e.Again || !a.hasTaken(e.Text)) {
		s.Post(session.Turn{Text: e.Text, Typed: true, Reason: "typed"})
	}
}

func (a *attendance) post(ev engine.Event) {
	if s := a.session.Load(); s != nil {
		s.Post(session.Event{Event: ev})
	}
}

func (a *attendance) end(ev engine.Event, err error) {
	select {
	case a.over <- err:
	default:
	}
	a.gone.Store(&session.Event{Event: ev})
	a.post(ev)
}
