package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/vivavoice/viva/agent/room"
	"github.com/vivavoice/viva/pipeline/guard"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/material"
)

// topicMaterial is the topic of the byte streams by which the page hands in a document (attributes kind and name), and of the
// packets that answer them: {"kind","name","ok","error"}.
const topicMaterial = "viva.material"

// attributeKind tells what a document is: resume or job_description.
const attributeKind = "kind"

// Limits of a document.
const (
	maxDocument     = 2 << 20 // bytes of a file
	maxDocumentText = 12_000  // characters that are kept
	maxFileName     = 120     // bytes
)

// closeWait is how long leaving waits for a document that is being read.
const closeWait = 2 * time.Second

// documents reads what candidates hand in, one document at a time. What is read goes to the interview as a fact; words of
// it are never logged.
type documents struct {
	reader material.Reader
	post   func(engine.Event) // must not block
	answer func(receipt)      // tells the page
	log    *zap.Logger
	guard  *guard.Guard       // the interview's; may be nil
	stop   context.CancelFunc // ends what is being read
	ctx    context.Context    //nolint:containedctx // the attendance's own lifetime, cancelled once in close
	busy   atomic.Bool        // a document is being read
	tasks  sync.WaitGroup
}

// receipt is what the page is told about a document.
type receipt struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"` // what to do about it
}

// newDocuments prepares to read; pdf is nil where PDF is not read. close ends it.
func newDocuments(pdf material.Extractor, post func(engine.Event), answer func(receipt), g *guard.Guard, log *zap.Logger) *documents {
	limits := material.DefaultLimits()
	limits.Bytes, limits.Characters = maxDocument, maxDocumentText
	ctx, stop := context.WithCancel(context.Background())
	return &documents{reader: material.Reader{Limits: limits, PDF: pdf}, post: post, answer: answer, guard: g, log: log, ctx: ctx, stop: stop}
}

// take reads a file that the page sent. It does not wait.
func (d *documents) take(f room.File) {
	r := receipt{Kind: f.Attributes[attributeKind], Name: f.Name}
	if len(r.Name) > maxFileName {
		r.Name = ""
	}
	kind := material.Kind(r.Kind)
	switch {
	case kind != material.Resume && kind != material.JobDescription:
		r.Kind, r.Error = "", "say whether it is a resume or a job_description"
	case d.ctx.Err() != nil:
		return
	case !d.busy.CompareAndSwap(false, true):
		r.Error = "another document is being read: try again in a moment"
	default:
		d.guard.Beside(&d.tasks, "material", func() {
			defer d.busy.Store(false)
			d.answer(d.read(kind, r, f.Data))
		})
		return
	}
	d.answer(r)
}

// handedIn takes a file of the candidate's, for an interview that reads documents.
func (a *attendance) handedIn(f room.File) {
	if f.From != a.candidate || f.Topic != topicMaterial || a.session.Load() == nil || !takesMaterials(a.interview.Def) {
		a.log.Debug("material.ignored", zap.Int("bytes", len(f.Data)))
		return
	}
	a.papers.take(f)
}

// errUnread is what the page is told of a document that breaks its reader.
var errUnread = errors.New("this document cannot be read: hand in another form of it, such as plain text")

// read reads a document and hands it over.
func (d *documents) read(kind material.Kind, r receipt, data []byte) receipt {
	var doc material.Document
	err := d.guard.Try("material", func() (err error) {
		doc, err = d.reader.Read(d.ctx, kind, r.Name, data)
		return err
	})
	if guard.Is(err) {
		err = errUnread
	}
	if err != nil {
		d.log.Info("material.refused", zap.String("kind", r.Kind), zap.Int("bytes", len(data)), zap.Error(err))
		r.Error = err.Error()
		return r
	}
	d.log.Info("material.read", zap.String("kind", r.Kind), zap.String("format", doc.Format), zap.Int("bytes", len(data)),
		zap.Int("pages", doc.Pages), zap.Strings("flags", doc.Flags))
	d.post(engine.Material{Kind: r.Kind, Text: doc.Text})
	r.OK = true
	return r
}

// close gives up what is being read, and waits for that until ctx ends: who leaves is not held up by a document. A reading
// that outlives it ends by its own limits, and posts to a session that is over.
func (d *documents) close(ctx context.Context) {
	d.stop()
	read := make(chan struct{})
	d.guard.Start("material", func() {
		d.tasks.Wait()
		close(read)
	})
	limit, cancel := context.WithTimeout(ctx, closeWait)
	defer cancel()
	select {
	case <-read:
	case <-limit.Done():
		d.log.Error("material.stuck", zap.Duration("waited", closeWait))
	}
}

// Read turns documents that came with dispatch into facts: read as any other, but for the format, which is text. The error
// names those that were refused; the others are returned all the same.
func (m Materials) Read(ctx context.Context) (out []engine.Material, err error) {
	limits := material.DefaultLimits()
	limits.Characters = maxDocumentText
	for _, d := range []struct {
		kind material.Kind
		text string
	}{{material.Resume, m.Resume}, {material.JobDescription, m.JobDescription}} {
		if d.text == "" {
			continue
		}
		doc, refused := material.Reader{Limits: limits}.Read(ctx, d.kind, "", []byte(d.text))
		if refused != nil {
			err = errors.Join(err, fmt.Errorf("read the %s: %w", d.kind, refused))
			continue
		}
		out = append(out, engine.Material{Kind: string(d.kind), Text: doc.Text})
	}
	return out, err
}

// materials are the facts about the documents that came with dispatch.
func (a *attendance) materials(ctx context.Context) []engine.Material {
	out, err := a.meta.Materials.Read(ctx)
	if err != nil {
		a.log.Warn("material.refused", zap.Error(err))
	}
	for _, m := range out {
		a.log.Info("material.read", zap.String("kind", m.Kind))
	}
	return out
}

// received answers a document on the page.
func (a *attendance) received(r receipt) {
	packet, err := json.Marshal(r)
	a.presence.send(topicMaterial, packet, err)
}
