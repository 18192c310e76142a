package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/pipeline/playout"
	"github.com/vivavoice/viva/pipeline/record"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/report"
	"github.com/vivavoice/viva/state"
	"github.com/vivavoice/viva/state/store"
)

const (
	// recordLimit bounds how long the end of an interview waits for its recording to be whole, or to be deleted.
	recordLimit = 5 * time.Second
	// maxFiles is how many recordings one session can have: it is taken up again, or consent comes and goes.
	maxFiles = 32
)

// Recordings say where the sound of interviews is kept. Both fields are required: what is in no index cannot be found to be
// deleted, so that it is not kept.
type Recordings struct {
	Folder *os.Root // the caller closes it, after the interviewer
	Index  RecordingIndex
}

// RecordingIndex knows which files belong to which session. A *store.Store is one.
type RecordingIndex interface {
	SaveRecording(ctx context.Context, r store.Recording) error
	ForgetRecording(ctx context.Context, path string) error
	Recordings(ctx context.Context, session string) ([]store.Recording, error)
}

var _ RecordingIndex = (*store.Store)(nil)

// tape is the way of the sound to the recorder, if there is one. It takes no lock and allocates nothing.
type tape struct {
	recorder atomic.Pointer[record.Recorder]
}

// candidate takes a frame of the microphone.
func (t *tape) candidate(frame []int16, position int64) {
	if r := t.recorder.Load(); r != nil {
		r.Candidate(frame, position)
	}
}

// interviewer takes a frame of the voice.
func (t *tape) interviewer(frame []int16) {
	if r := t.recorder.Load(); r != nil {
		r.Interviewer(frame)
	}
}

// taped is the encoder of the voice; what it encodes is what the candidate hears.
type taped struct {
	playout.Encoder
	tape *tape
}

// Encode implements playout.Encoder.
func (t taped) Encode(dst []byte, pcm []int16) ([]byte, error) {
	t.tape.interviewer(pcm)
	return t.Encoder.Encode(dst, pcm)
}

// recording keeps the sound of one interview while the candidate agrees to it.
type recording struct {
	guard   *guard.Guard // the interview's; may be nil
	o       *Recordings
	tape    *tape
	session string
	show    func(on bool) // tells the candidate; must not block
	log     *zap.Logger
	tasks   sync.WaitGroup // what was taken back, on its way out
	swept   sync.WaitGroup // what an earlier worker has left of that
	inherit bool           // an earlier worker has begun, and its file is gone on with; belongs to Record

	mu     sync.Mutex
	now    *reel // guarded by mu: nil = no consent
	closed bool  // guarded by mu
}

var _ session.Recorder = (*recording)(nil)

// reel is one file.
type reel struct {
	recorder *record.Recorder
	consent  string
	inherit  bool
	path     atomic.Pointer[string] // nil until the file is there
}

// Record implements session.Recorder.
func (r *recording) Record(e engine.Record, at state.Millis) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
	case e.On && r.now == nil:
		r.startLocked(e.Consent, at)
		r.inherit = false // what is recorded later is another file
	case !e.On && r.now != nil:
		r.withdrawLocked()
	}
}

func (r *recording) startLocked(consent string, at state.Millis) {
	f := &reel{consent: consent, inherit: r.inherit}
	var err error
	f.recorder, err = record.Start(guard.With(context.Background(), r.guard), record.Options{ // it ends with close
		Open:     func(ctx context.Context) (record.Sink, error) { return r.open(ctx, f) },
		Offset:   at.Duration(),
		Progress: func(ctx context.Context, s record.Stats) error { return r.enter(ctx, f, s) },
		Ended:    func(err error) { r.ended(f, err) },
		Logger:   r.log,
	})
	if err != nil {
		r.log.Error("recording.failed", zap.Error(err))
		return
	}
	r.now = f
	r.tape.recorder.Store(f.recorder)
	r.show(true)
	r.log.Info("recording.started", zap.String("consent", consent))
}

// open enters the file into the index and makes it, in this order: a file that is in no index would be kept for ever.
func (r *recording) open(ctx context.Context, f *reel) (record.Sink, error) {
	r.swept.Wait() // bounded; it deletes all that the index has
	if f.inherit {
		if file, err := r.reopen(ctx, f); file != nil || err != nil {
			return file, err
		}
	}
	path, err := r.free()
	if err != nil {
		return nil, err
	}
	if err := r.o.Index.SaveRecording(ctx, store.Recording{Session: r.session, Path: path, Consent: f.consent}); err != nil {
		return nil, err
	}
	file, err := r.o.Folder.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // the recorder looks whether it is empty
	if err != nil {
		return nil, errors.Join(err, r.o.Index.ForgetRecording(ctx, path))
	}
	f.path.Store(&path)
	return file, nil
}

// reopen opens what an earlier worker has recorded of this session; nil: nothing, or not in this folder.
func (r *recording) reopen(ctx context.Context, f *reel) (record.Sink, error) {
	all, err := r.o.Index.Recordings(ctx, r.session)
	if err != nil {
		return nil, err
	}
	for _, was := range all {
		file, err := r.o.Folder.OpenFile(was.Path, os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		f.path.Store(&was.Path)
		return file, nil
	}
	return nil, nil
}

// sweep deletes what an earlier worker has left of a session whose candidate has taken consent back.
func (r *recording) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*recordLimit)
	defer cancel()
	all, err := r.o.Index.Recordings(ctx, r.session)
	if err != nil {
		r.log.Error("recording.undeleted", zap.Error(err))
	}
	for _, was := range all {
		f := &reel{}
		f.path.Store(&was.Path)
		r.remove(ctx, f)
	}
}

// free is a path that no file has yet, in a folder for the month.
func (r *recording) free() (string, error) {
	folder := time.Now().UTC().Format("2006-01")
	if err := r.o.Folder.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for n := range maxFiles {
		path := fmt.Sprintf("%s/%s.%02d.ogg", folder, url.PathEscape(r.session), n+1)
		if _, err := r.o.Folder.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
	}
	return "", fmt.Errorf("the session has %d recordings already", maxFiles)
}

// enter tells the index how far the file has come. A session that is not there any more was deleted: then its sound goes, too.
func (r *recording) enter(ctx context.Context, f *reel, s record.Stats) error {
	path := f.path.Load()
	if path == nil {
		return nil
	}
	err := r.o.Index.SaveRecording(ctx, store.Recording{Session: r.session, Path: *path, Bytes: s.Bytes, Duration: s.Duration, Consent: f.consent})
	switch {
	case errors.Is(err, store.ErrNoSession):
		return err
	case err != nil && ctx.Err() == nil:
		r.log.Warn("recording.index", zap.Error(err)) // the next time will do
	}
	return nil
}

// ended takes the end of a recorder that could not go on, on its goroutine. The interview goes on.
func (r *recording) ended(f *reel, why error) {
	r.mu.Lock() // it may be that soon that it is still being started
	r.tape.recorder.CompareAndSwap(f.recorder, nil)
	if r.now == f {
		r.show(false)
	}
	r.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), recordLimit)
	defer cancel()
	if errors.Is(why, store.ErrNoSession) {
		r.remove(ctx, f)
		return
	}
	if err := r.enter(ctx, f, f.recorder.Stats()); err != nil {
		r.remove(ctx, f)
	}
}

// withdrawLocked stops at once and deletes what was kept.
func (r *recording) withdrawLocked() {
	f := r.now
	r.now = nil
	r.tape.recorder.Store(nil)
	r.show(false)
	r.log.Info("recording.withdrawn")
	r.guard.Beside(&r.tasks, "recording", func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*recordLimit)
		defer cancel()
		if err := f.recorder.Discard(ctx); err != nil {
			r.log.Error("recording.discard", zap.Error(err))
		}
		r.remove(ctx, f)
	})
}

// remove deletes a file, and then its entry: what cannot be deleted stays in the index for the next purge.
func (r *recording) remove(ctx context.Context, f *reel) {
	path := f.path.Load()
	if path == nil {
		return
	}
	err := r.o.Folder.Remove(*path)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = r.o.Index.ForgetRecording(ctx, *path)
	}
	if err != nil {
		r.log.Error("recording.undeleted", zap.String("path", *path), zap.Error(err))
	}
}

// close ends the recording and waits until the file is whole, also after ctx has ended. It may be called more than once.
func (r *recording) close(ctx context.Context) {
	if r == nil {
		return
	}
	r.mu.Lock()
	f, was := r.now, r.closed
	r.closed = true
	r.mu.Unlock()
	if was {
		return
	}
	r.tape.recorder.Store(nil)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
	defer cancel()
	if f != nil {
		r.keep(ctx, f)
	}
	r.tasks.Wait() // bounded, as is the other: each has a limit
	r.swept.Wait()
}

func (r *recording) keep(ctx context.Context, f *reel) {
	stats, err := f.recorder.Close(ctx)
	if err != nil {
		r.log.Error("recording.unfinished", zap.Error(err))
	}
	if f.path.Load() == nil { // it could not be made
		return
	}
	if err := r.enter(ctx, f, stats); err != nil {
		r.remove(ctx, f)
		return
	}
	r.show(false)
	r.log.Info("recording.kept", zap.Duration("duration", stats.Duration), zap.Int64("bytes", stats.Bytes),
		zap.Uint64("frames_dropped", stats.Dropped), zap.Duration("late", stats.Late))
}

// report describes the file to the report; nil: there is none.
func (r *recording) report() *report.Recording {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	f := r.now
	r.mu.Unlock()
	if f == nil {
		return nil
	}
	stats := f.recorder.Stats()
	if stats.Bytes == 0 {
		return nil
	}
	return &report.Recording{URL: "recording.ogg", Offset: state.FromDuration(stats.Offset), Duration: state.FromDuration(stats.Duration)}
}
