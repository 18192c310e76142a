package deepgram

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/vivavoice/viva/pipeline/fault"
)

// FuzzRead: any message is understood or refused as a fault with bounded words; what it says of time and of confidence is within
// what there can be, and so an absurd one cannot end the news about a segment.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"type":"Results","start":1.5,"duration":2,"is_final":true,"channel":{"alternatives":[{"transcript":"hello","confidence":0.9}]}}`,
		`{"type":"Results","is_final":true,"from_finalize":true,"channel":{}}`, `{"type":"Results","channel":[]}`,
		`{"type":"Results","start":1e300,"duration":1e300,"is_final":true}`, `{"type":"Results","start":-5,"is_final":true}`,
		`{"type":"Results","channel":{"alternatives":[{"transcript":"x","confidence":7}]}}`,
		`{"type":"Results","channel":{"alternatives":[{"transcript":"x","confidence":-1e308}]}}`,
		`{"type":"Error","description":"` + strings.Repeat("é", 300) + `"}`, `{"type":"Error","description":{}}`, `{"type":"Metadata"}`, `{}`, `null`, ``, `{"type":5}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		u, err := read(raw)
		if err != nil {
			var is *fault.Error
			if !errors.As(err, &is) || len(err.Error()) > 1<<10 {
				t.Errorf("refused by %d bytes: %.300v", len(err.Error()), err)
			}
			if u.Heard || u.End {
				t.Errorf("%+v of a message that was refused", u)
			}
			return
		}
		if u.Settled < 0 || u.Settled > longest || !(u.Confidence >= 0 && u.Confidence <= 1) || len(u.Text) > 3*len(raw) {
			t.Errorf("%+v", u)
		}
	})
}

// FuzzRefused: whatever a server answers instead of a WebSocket, the error is bounded and does not show the key.
func FuzzRefused(f *testing.F) {
	const key = "dg-1234567890"
	f.Add(401, `{"err_msg":"the key dg-1234567890 is wrong","reason":"x"}`)
	f.Add(200, `<html>dg-1234567890`)
	f.Add(402, `{"err_msg":"`+strings.Repeat("é", 190)+`dg-1234567890"}`)
	f.Add(-1, `{"err_msg":"dg- 1234567890","reason":"\u0000"}`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		r := &service{key: key}
		err := r.refused(&http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))})
		if err.Kind == fault.Unknown || len(err.Error()) > 1<<10 || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d bytes: %.300v", len(err.Error()), err)
		}
	})
}
