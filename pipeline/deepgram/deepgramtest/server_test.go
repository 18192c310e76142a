package deepgramtest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/vivavoice/viva/pipeline/deepgram/deepgramtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const good = "/v1/listen?model=nova-3&encoding=linear16&sample_rate=16000"

func dial(t *testing.T, url, key string) (*websocket.Conn, int) {
	t.Helper()
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), url, http.Header{"Authorization": {key}})
	if resp == nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return conn, resp.StatusCode
}

func serve(t *testing.T, o deepgramtest.Options) string {
	t.Helper()
	server := httptest.NewServer(deepgramtest.New(o))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func TestBadConnectionsAreRefused(t *testing.T) {
	base := serve(t, deepgramtest.Options{Key: "k"})
	tests := []struct {
		path, key string
		want      int
	}{
		{"/v2/listen", "Token k", http.StatusNotFound},
		{good, "Bearer k", http.StatusUnauthorized},
		{"/v1/listen?model=nova-3&encoding=opus&sample_rate=16000", "Token k", http.StatusBadRequest},
	}
	for _, tt := range tests {
		if _, status := dial(t, base+tt.path, tt.key); status != tt.want {
			t.Errorf("%s with %q: %d, want %d", tt.path, tt.key, status, tt.want)
		}
	}
}

func TestUnknownMessagesEndTheConnection(t *testing.T) {
	base := serve(t, deepgramtest.Options{})
	for message, want := range map[string]int{
		"no JSON": websocket.ClosePolicyViolation, `{"type":"Reset"}`: websocket.ClosePolicyViolation,
		`{"type":"CloseStream"}`: websocket.CloseNormalClosure,
	} {
		conn, _ := dial(t, base+good, "")
		// Finalize without audio is answered with silence, KeepAlive always.
		for _, m := range []string{`{"type":"KeepAlive"}`, `{"type":"Finalize"}`, message} {
			if err := conn.WriteMessage(websocket.TextMessage, []byte(m)); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		for err == nil {
			var text []byte
			if _, text, err = conn.ReadMessage(); err == nil && !strings.Contains(string(text), "Metadata") {
				t.Errorf("unexpected %s", text)
			}
		}
		if !websocket.IsCloseError(err, want) {
			t.Errorf("%s: %v, want code %d", message, err, want)
		}
		_ = conn.Close()
	}
}
