package openaitest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/vivavoice/viva/pipeline/openai/openaitest"
)

func TestRealtimeComplainsAsTheRealOne(t *testing.T) {
	server := httptest.NewServer(openaitest.New(openaitest.Options{}))
	defer server.Close()
	base := "ws" + strings.TrimPrefix(server.URL, "http") + "/v1/realtime"
	for _, query := range []string{"", "?intent=transcription&model=x"} {
		_, resp, err := websocket.DefaultDialer.DialContext(t.Context(), base+query, nil)
		if err == nil || resp == nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: %v", query, err)
		}
		if resp != nil {
			_ = resp.Body.Close()
		}
	}
	conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), base+"?intent=transcription", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(); _ = resp.Body.Close() }()
	tests := []struct{ send, want string }{
		{"", "session.created"},
		{"no JSON", "invalid_json"},
		{`{"type":"response.create"}`, "invalid_value"},
		{`{"type":"session.update","session":{"type":"realtime"}}`, "invalid_value"},
		{`{"type":"session.update","session":{"type":"transcription","audio":{"input":{"format":{"rate":24000},"transcription":{"model":"m"},"turn_detection":{"type":"server_vad"}}}}}`, "invalid_value"},
		{`{"type":"session.update","session":{"type":"transcription","audio":{"input":{"format":{"rate":24000},"transcription":{"model":"m"},"turn_detection":null}}}}`, "session.updated"},
		{`{"type":"input_audio_buffer.append","audio":"!"}`, "invalid_audio"},
		{`{"type":"input_audio_buffer.commit"}`, "input_audio_buffer_commit_empty"},
	}
	for _, tt := range tests {
		if tt.send != "" {
			if err := conn.WriteMessage(websocket.TextMessage, []byte(tt.send)); err != nil {
				t.Fatal(err)
			}
		}
		if _, got, err := conn.ReadMessage(); err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s\ngave %s, %v; want %s", tt.send, got, err, tt.want)
		}
	}
}
