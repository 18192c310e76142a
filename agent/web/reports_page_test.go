package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/vivavoice/viva/agent/web/webtest"
)

// openList shows the operator's list in a browser that has given the key.
func openList(t *testing.T) (b *webtest.Browser, origin string) {
	t.Helper()
	b = webtest.Open(t, webtest.Options{})
	origin = serveOn(t, newTestReports(t, newShelf(t), nil))
	b.Resize(1280, 900)
	b.Open(origin + "/reports")
	b.Screenshot("reports-door")
	b.Do(chromedp.SendKeys(chromedp.CSS("#key"), testReportsKey+kb.Enter))
	b.Wait(`document.querySelectorAll("#rows tr").length === 50`, patience)
	return b, origin
}

// The list is searched, leafed through and opened, at a desk and on a phone; no name gets into an address.
func TestReportListInBrowser(t *testing.T) {
	b, origin := openList(t)
	b.Screenshot("reports-list-1280")
	if got := b.Text("count"); got != "1–50 of 70" {
		t.Errorf("the list counts %q", got)
	}
	b.Do(chromedp.Click(chromedp.CSS("#next")))
	b.Wait(`document.querySelectorAll("#rows tr").length === 20`, patience)
	b.Do(chromedp.SendKeys(chromedp.CSS("#text"), "linh"+kb.Enter))
	b.Wait(`document.querySelectorAll("#rows tr").length === 10`, patience)
	for _, width := range []int64{390, 360} {
		b.Resize(width, 844)
		expectFit(t, b, fmt.Sprintf("the list at %d px", width))
	}
	b.Screenshot("reports-list-360")
	b.Dark()
	b.Screenshot("reports-list-dark-360")
	if got := webtest.Eval[string](b, "location.href"); strings.Contains(got, "linh") {
		t.Errorf("the name is in the address %s", got)
	}
	b.Do(chromedp.Click(chromedp.CSS(`#rows a[href="/reports/AJ_000"]`)), chromedp.WaitReady(chromedp.CSS(`#q5`)))
	expectComplaints(t, b, 1) // the first look at the list, before the key was given
	if foreign := b.ForeignRequests(origin); len(foreign) > 0 {
		t.Errorf("external requests: %v", foreign)
	}
}

// expectComplaints allows so many refusals for want of the key, which the browser reports like faults.
func expectComplaints(t *testing.T, b *webtest.Browser, unauthorised int) {
	t.Helper()
	for _, c := range b.Complaints() {
		if strings.Contains(c, "401") && unauthorised > 0 {
			unauthorised--
			continue
		}
		t.Errorf("the browser complained: %s", c)
	}
}

// The report fits every width, and a quote, a moment of the timeline and a line of the transcript lead to their second in
// the recording.
func TestReportPageInBrowser(t *testing.T) {
	b := webtest.Open(t, webtest.Options{Microphone: webtest.Allowed})
	origin := serveOn(t, newTestReports(t, newShelf(t), nil))
	b.Resize(1280, 900)
	b.Open(origin + "/r/" + testLinkToken)
	b.Wait(`document.getElementById("recording").readyState >= 1`, patience)
	b.Screenshot("report-1280")
	for _, selector := range []string{`#strengths .quote`, `#talk a[data-turn="12"]`, `#t10 .time`} {
		at := webtest.Eval[float64](b, fmt.Sprintf(`Number(document.querySelector(%q).dataset.at) / 1000`, selector))
		webtest.Eval[bool](b, fmt.Sprintf(`(document.querySelector(%q).dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true})), true)`, selector))
		b.Wait(fmt.Sprintf(`Math.abs(document.getElementById("recording").currentTime - %f) < 1.5`, at-0.3), patience)
	}
	b.Wait(`document.querySelector("#t10.now")`, patience)
	b.Wait(`document.querySelector(".head").getAttribute("visibility") === "visible"`, patience)
	if embedded(t).has(chartsScript) {
		b.Wait(`document.querySelectorAll(".live canvas").length === 2`, patience)
	}
	webtest.Eval[bool](b, `(document.getElementById("delivery").scrollIntoView({behavior: "instant"}), true)`)
	b.Screenshot("report-charts-1280")
	for _, width := range []int64{1280, 768, 390, 360} {
		b.Resize(width, 844)
		expectFit(t, b, fmt.Sprintf("the report at %d px", width))
	}
	webtest.Eval[bool](b, `(document.getElementById("delivery").scrollIntoView({behavior: "instant"}), true)`)
	b.Screenshot("report-charts-360")
	b.Dark()
	webtest.Eval[bool](b, `(scrollTo({top: 900, behavior: "instant"}), true)`)
	b.Screenshot("report-dark-360")
	expectClean(t, b, origin)
}

// Everything can be reached and pressed by keyboard.
func TestReportByKeyboard(t *testing.T) {
	b := webtest.Open(t, webtest.Options{Microphone: webtest.Allowed})
	origin := serveOn(t, newTestReports(t, newShelf(t), nil))
	b.Resize(1280, 900)
	b.Open(origin + "/r/" + testLinkToken)
	b.Wait(`document.getElementById("recording").readyState >= 1`, patience)
	for range 60 {
		b.Do(chromedp.KeyEvent(kb.Tab))
		if webtest.Eval[bool](b, `document.activeElement.matches("#improvements .quote")`) {
			break
		}
	}
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Wait(`document.getElementById("recording").currentTime > 90`, patience)
	webtest.Eval[bool](b, `(document.querySelector(".lanes").focus(), true)`)
	b.Do(chromedp.KeyEvent(" "))
	b.Wait(`document.getElementById("recording").paused`, patience)
	before := webtest.Eval[float64](b, `document.getElementById("recording").currentTime`)
	b.Do(chromedp.KeyEvent(kb.ArrowRight))
	b.Wait(fmt.Sprintf(`document.getElementById("recording").currentTime > %f`, before+4), patience)
	expectClean(t, b, origin)
}
