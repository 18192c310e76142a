package webhook_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vivavoice/viva/agent/assessment/webhook"
)

func genuine(r *http.Request, body []byte, secret string) bool {
	sent, err := strconv.ParseInt(r.Header.Get("Viva-Timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.", r.Header.Get("Viva-Id"), r.Header.Get("Viva-Timestamp"))
	mac.Write(body)
	want := "v1=" + hex.EncodeToString(mac.Sum(nil))
	return hmac.Equal([]byte(want), []byte(r.Header.Get("Viva-Signature")))
}

// request is one as it is sent, so old.
func request(body []byte, age time.Duration) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	at := strconv.FormatInt(time.Now().Add(-age).Unix(), 10)
	r.Header.Set("Viva-Id", "report/s1")
	r.Header.Set("Viva-Timestamp", at)
	r.Header.Set("Viva-Signature", webhook.Sign(secret, "report/s1", at, body))
	return r
}

// R002-55: what docs/reports.md tells receivers to do takes what was sent, and refuses what was changed, is old, or was signed by
// another secret: in Go and in Node.
func TestDocumentedChecks(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/reports.md")
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("check_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(doc)
	if shown == nil || !bytes.Contains(own, shown[1]) {
		t.Error("the documented Go is not what is tested here")
	}
	body := []byte(`{"id":"report/s1","text":"größer"}`)
	for name, c := range map[string]struct {
		r      *http.Request
		body   []byte
		secret string
		want   bool
	}{
		"as it was sent":    {request(body, 0), body, secret, true},
		"changed":           {request(body, 0), append(bytes.Clone(body), ' '), secret, false},
		"six minutes old":   {request(body, 6*time.Minute), body, secret, false},
		"another's":         {request(body, 0), body, "another-secret-here", false},
		"without signature": {httptest.NewRequest(http.MethodPost, "/", nil), body, secret, false},
	} {
		if got := genuine(c.r, c.body, c.secret); got != c.want {
			t.Errorf("Go, %s: %t", name, got)
		}
		if got := byNode(t, doc, c.r, c.body, c.secret); got != c.want {
			t.Errorf("Node, %s: %t", name, got)
		}
	}
}

// byNode runs the documented script.
func byNode(t *testing.T, doc []byte, r *http.Request, body []byte, secret string) bool {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the documented script was not run")
	}
	shown := regexp.MustCompile("(?s)```js\n(.*?)```").FindSubmatch(doc)
	if shown == nil {
		t.Fatal("there is no script in the document")
	}
	script := fmt.Sprintf("%s\nconst h = {'viva-id': %q, 'viva-timestamp': %q};\nconst s = %q;\nif (s) h['viva-signature'] = s;\nconsole.log(genuine(h, Buffer.from(%q), %q));\n",
		shown[1], r.Header.Get("Viva-Id"), r.Header.Get("Viva-Timestamp"), r.Header.Get("Viva-Signature"), body, secret)
	path := filepath.Join(t.TempDir(), "check.mjs")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), node, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out)) == "true"
}
