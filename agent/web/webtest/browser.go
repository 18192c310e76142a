// Package webtest drives the candidate's page in a headless Chromium, for tests of the page and of whole interviews. It
// records what a page must not do: complain on the console, or ask a foreign address for anything.
//
// A Browser belongs to one test and closes with it. Its methods end the test when the browser fails.
package webtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// ArtifactsVar names the environment variable with the folder for screenshots. Unset, none are taken.
const ArtifactsVar = "VIVA_ARTIFACTS"

// limit bounds a test's use of a browser, start included.
const limit = 3 * time.Minute

// laidOut is kept once two frames were drawn in a window of this width and height: before the first a page is told of its size,
// and in the second stands what it drew then.
const laidOut = `new Promise(drawn => {
	const next = requestAnimationFrame;
	const sized = () => innerWidth === %d && innerHeight === %d ? next(() => next(() => drawn(true))) : next(sized);
	sized();
})`

// layoutLimit bounds the wait for it.
const layoutLimit = 20 * time.Second

// Microphone is what the browser does when a page asks for the microphone.
type Microphone int

// The answers to a page that asks for the microphone.
const (
	Refused Microphone = iota // as if the person had clicked "Block"
	Allowed                   // a device that beeps, or plays Options.Voice
)

// Options configures a browser.
type Options struct {
	Microphone Microphone
	Voice      string // WAV file that is the microphone's sound, in a loop; "" beeps
}

// Browser is one tab.
type Browser struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // it is how chromedp names a tab

	mu         sync.Mutex
	requests   []string // guarded by mu
	complaints []string // guarded by mu
}

// Open starts a browser, or skips the test with the reason when there is none.
func Open(t *testing.T, opts Options) *Browser {
	t.Helper()
	path := findChromium()
	if path == "" {
		t.Skip("no Chromium found: the page was not tested; on Debian: apt-get install chromium")
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, flags(path, opts)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &Browser{t: t, ctx: ctx}
	t.Cleanup(func() { _ = chromedp.Cancel(ctx) }) // waits for the process; it is thrown away however that goes
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	call(b, network.Enable, network.EnableParams{})
	return b
}

func findChromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func flags(path string, opts Options) []chromedp.ExecAllocatorOption {
	all := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("use-fake-device-for-media-stream", true),
	)
	if opts.Microphone == Refused {
		return append(all, chromedp.Flag("deny-permission-prompts", true))
	}
	all = append(all, chromedp.Flag("use-fake-ui-for-media-stream", true))
	if opts.Voice != "" {
		all = append(all, chromedp.Flag("use-file-for-fake-audio-capture", opts.Voice))
	}
	return all
}

// note runs on the goroutine that reads from the browser.
func (b *Browser) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *network.EventWebSocketCreated:
		b.requests = append(b.requests, e.URL)
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, "exception: "+exceptionText(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" {
			b.complaints = append(b.complaints, fmt.Sprintf("console.%s: %s", e.Type, argsText(e.Args)))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			b.complaints = append(b.complaints, fmt.Sprintf("%s: %s (%s)", e.Entry.Level, e.Entry.Text, e.Entry.URL))
		}
	}
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil {
		return d.Text + " " + d.Exception.Description
	}
	return d.Text
}

func argsText(args []*runtime.RemoteObject) string {
	var words []string
	for _, a := range args {
		words = append(words, string(a.Value)+a.Description)
	}
	return strings.Join(words, " ")
}

// Do runs steps, one after the other.
func (b *Browser) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("browser: %v; complaints so far: %q", err, b.Complaints())
	}
}

// Open shows a page and waits until it has loaded its choices.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(url), chromedp.WaitReady(chromedp.CSS(`body[data-loaded="true"]`)))
}

// Wait waits until the JavaScript expression is true, for d at most.
func (b *Browser) Wait(condition string, d time.Duration) {
	b.t.Helper()
	poll := chromedp.Poll[bool]("Boolean("+condition+")", chromedp.WithPollingTimeout(d), chromedp.WithPollingInterval(50*time.Millisecond))
	if _, err := chromedp.Run(b.ctx, poll); err != nil {
		b.t.Fatalf("wait for %s: %v; complaints so far: %q", condition, err, b.Complaints())
	}
}

// Eval gives the value of a JavaScript expression.
func Eval[T any](b *Browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("evaluate %s: %v", expression, err)
	}
	return v
}

// Text is the text of the element with this id, as shown.
func (b *Browser) Text(id string) string {
	b.t.Helper()
	return Eval[string](b, fmt.Sprintf("document.getElementById(%q).innerText", id))
}

// Focused is the id of the element that has the keyboard.
func (b *Browser) Focused() string {
	b.t.Helper()
	return Eval[string](b, "document.activeElement.id")
}

// Resize sets the window's size (CSS pixels), and returns when the page has been laid out anew.
func (b *Browser) Resize(width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
	ctx, cancel := context.WithTimeout(b.ctx, layoutLimit)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](fmt.Sprintf(laidOut, width, height), chromedp.EvalAwaitPromise)); err != nil {
		b.t.Fatalf("lay the page out at %d px: %v; complaints so far: %q", width, err, b.Complaints())
	}
}

// Dark switches to the dark colour scheme.
func (b *Browser) Dark() {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
}

// Overflow is by how many CSS pixels the page is wider than the window.
func (b *Browser) Overflow() int {
	b.t.Helper()
	return Eval[int](b, "document.documentElement.scrollWidth - window.innerWidth")
}

// Screenshot keeps page-name.png in the folder ArtifactsVar names.
func (b *Browser) Screenshot(name string) {
	b.t.Helper()
	dir := os.Getenv(ArtifactsVar)
	if dir == "" {
		return
	}
	err := os.MkdirAll(dir, 0o750)
	var png []byte
	if err == nil {
		png, err = chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "page-"+name+".png"), png, 0o600)
	}
	if err != nil {
		b.t.Fatalf("screenshot %s: %v", name, err)
	}
}

// stateMismatch is what livekit-client says when its periodic look finds a connection between two states, and mends it: on a
// busy machine it comes now and then, and tells nothing about the page.
const stateMismatch = "detected connection state mismatch"

// Complaints are the console's warnings and errors, uncaught exceptions and the browser's own messages.
func (b *Browser) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.complaints), func(c string) bool { return strings.Contains(c, stateMismatch) })
}

// ForeignRequests are the addresses asked for outside the given origins (scheme://host:port).
func (b *Browser) ForeignRequests(origins ...string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := func(url string) bool {
		return url == "about:blank" || strings.HasPrefix(url, "data:") || strings.HasPrefix(url, "blob:") ||
			slices.ContainsFunc(origins, func(o string) bool { return strings.HasPrefix(url, o+"/") })
	}
	return slices.DeleteFunc(slices.Clone(b.requests), own)
}

// call runs one command of the browser's protocol.
func call[P, R any](b *Browser, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, cmd, params); err != nil {
		b.t.Fatalf("browser: %s: %v", cmd.Method, err)
	}
}
