// Package material reads what a candidate or an employer hands in before an interview: a résumé and a job description as
// plain text, Markdown or PDF. What comes out is data: short enough, without anything that a reader would not see, and
// without sentences that speak to a machine instead of a person. Nothing in a document is ever followed or fetched.
//
// Reading a PDF runs in a process of its own (Process), because a broken one can bring a program down; everything else is
// pure.
package material

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vivavoice/viva/stages/understand"
)

// Kind is what a document is. As a name it also stands in prompts, around the text.
type Kind string

// The kinds.
const (
	Resume         Kind = "resume"
	JobDescription Kind = "job_description"
)

// Formats of a document.
const (
	FormatText     = "text"
	FormatMarkdown = "markdown"
	FormatPDF      = "pdf"
)

// Flags of a document: what was found and left out. They are for operators; no candidate hears of them.
const (
	FlagHiddenCharacters = "hidden_characters" // characters that do not show
	FlagHiddenText       = "hidden_text"       // text that a reader cannot see: white, tiny, off the page, in comments
	FlagInstructions     = "instructions"      // sentences that speak to a machine
	FlagTruncated        = "truncated"         // the end did not fit
)

// Errors; match with errors.Is. Their words are for the person who handed the document in.
var (
	ErrTooLarge  = errors.New("the document is too large")
	ErrPages     = errors.New("the document has too many pages")
	ErrFormat    = errors.New("the document is neither text, Markdown nor PDF")
	ErrNoText    = errors.New("there is no text in the document: if it is a scan, hand in a version with real text")
	ErrUnread    = errors.New("the document cannot be read: save it anew as PDF, or as plain text")
	ErrNoPDF     = errors.New("PDF is not read here: hand in plain text or Markdown")
	ErrProtected = errors.New("the document is protected by a password: hand in a version without")
)

// Limits bound a document.
type Limits struct {
	Bytes      int           // of the file
	Pages      int           // of a PDF
	Characters int           // of the text; what goes beyond is cut off
	Time       time.Duration // for reading it
}

// DefaultLimits fit any résumé.
func DefaultLimits() Limits {
	return Limits{Bytes: 5 << 20, Pages: 20, Characters: 40_000, Time: 10 * time.Second}
}

// Document is what was read.
type Document struct {
	Kind   Kind     `json:"kind"`
	Format string   `json:"format"`
	Text   string   `json:"text"`
	Pages  int      `json:"pages,omitempty"`
	Flags  []string `json:"flags,omitempty"`
}

// Extracted is the text of a file, and whether some of it could not be seen and was left out.
type Extracted struct {
	Text   string `json:"text"`
	Pages  int    `json:"pages"`
	Hidden bool   `json:"hidden,omitempty"`
}

// Extractor gets the text out of a PDF. It obeys the context, and fails with one of the errors above.
type Extractor interface {
	Extract(ctx context.Context, data []byte, limits Limits) (Extracted, error)
}

// Reader reads documents.
type Reader struct {
	Limits Limits
	PDF    Extractor // nil: PDF is not read
}

// slack is how many characters beyond those that are kept are looked at, so that no instruction hides where the text is cut.
const slack = 2000

// Read reads a document, in the time that the limits allow. The name only tells Markdown from plain text; what a PDF is, is
// told by its first bytes.
func (r Reader) Read(ctx context.Context, kind Kind, name string, data []byte) (Document, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Limits.Time)
	defer cancel()
	doc := Document{Kind: kind}
	if len(data) > r.Limits.Bytes {
		return doc, fmt.Errorf("%w: %d bytes, at most %d are read", ErrTooLarge, len(data), r.Limits.Bytes)
	}
	if err := r.read(ctx, &doc, name, data); err != nil {
		return doc, fmt.Errorf("read the %s: %w", strings.ReplaceAll(string(kind), "_", " "), err)
	}
	return doc, nil
}

func (r Reader) read(ctx context.Context, doc *Document, name string, data []byte) error {
	text, err := r.text(ctx, doc, name, data)
	if err != nil {
		return err
	}
	if hides(text) {
		doc.flag(FlagHiddenCharacters)
	}
	whole := tidy(Visible(text))
	looked := understand.Clip(whole, r.Limits.Characters+slack)
	rest, removed, err := screen(ctx, looked)
	switch {
	case ctx.Err() != nil:
		return r.late()
	case err != nil:
		return err
	}
	if removed {
		doc.flag(FlagInstructions)
	}
	if strings.TrimSpace(rest) == "" {
		return ErrNoText
	}
	if doc.Text = understand.Clip(rest, r.Limits.Characters); len(doc.Text) < len(rest) || len(looked) < len(whole) {
		doc.flag(FlagTruncated)
	}
	return nil
}

func (d *Document) flag(name string) { d.Flags = append(d.Flags, name) }

// text gets the text out of the format.
func (r Reader) text(ctx context.Context, doc *Document, name string, data []byte) (string, error) {
	if bytes.HasPrefix(bytes.TrimLeft(data[:min(len(data), 1024)], " \t\r\n\ufeff"), []byte("%PDF-")) {
		doc.Format = FormatPDF
		return r.pdf(ctx, doc, data)
	}
	text, ok := decode(data)
	if !ok {
		return "", ErrFormat
	}
	doc.Format = FormatText
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		doc.Format = FormatMarkdown
		plain, hidden := markdown(text)
		if hidden {
			doc.flag(FlagHiddenText)
		}
		return plain, nil
	}
	return text, nil
}

func (r Reader) pdf(ctx context.Context, doc *Document, data []byte) (string, error) {
	if r.PDF == nil {
		return "", ErrNoPDF
	}
	got, err := r.PDF.Extract(ctx, data, r.Limits)
	switch {
	case ctx.Err() != nil:
		return "", r.late()
	case err != nil:
		return "", err
	case got.Pages > r.Limits.Pages:
		return "", fmt.Errorf("%w: %d, at most %d are read", ErrPages, got.Pages, r.Limits.Pages)
	}
	if doc.Pages = got.Pages; got.Hidden {
		doc.flag(FlagHiddenText)
	}
	return got.Text, nil
}

func (r Reader) late() error {
	return fmt.Errorf("%w: it took longer than %v", ErrUnread, r.Limits.Time)
}

// decode reads UTF-8, or UTF-16 with a byte order mark. Binary files are no text.
func decode(data []byte) (string, bool) {
	if text, ok := utf16Text(data); ok {
		return text, true
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", false
	}
	return string(data), true
}

// tidy ends lines alike, drops trailing space, and keeps at most one empty line in a row.
func tidy(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n").Replace(text)
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
