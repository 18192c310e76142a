package webtest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/vivavoice/viva/agent/web/webtest"
)

// A page that draws to the window's width, a frame after it is told of another one.
const drawn = `<!doctype html><title>drawn</title><body data-loaded="true" style="margin:0"><div id="chart" style="height:9px"></div><script>
const chart = document.getElementById("chart");
const fit = () => { chart.style.width = document.body.clientWidth + "px"; };
addEventListener("resize", () => requestAnimationFrame(() => requestAnimationFrame(fit)));
fit();
</script>`

// Who resizes the window finds the page laid out for it.
func TestResizeWaitsForTheLayout(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, drawn) // the browser's loss
	}))
	t.Cleanup(page.Close)
	b := webtest.Open(t, webtest.Options{})
	b.Open(page.URL)
	for range 5 {
		for _, width := range []int64{1280, 768, 390, 360} {
			b.Resize(width, 844)
			if over := b.Overflow(); over > 0 {
				t.Errorf("at %d px the page is %d px too wide", width, over)
			}
		}
	}
}
