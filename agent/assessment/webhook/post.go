package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vivavoice/viva/state/store"
)

// Headers of a request.
const (
	HeaderID        = "Viva-Id"
	HeaderTimestamp = "Viva-Timestamp" // of the try, in seconds of Unix time
	HeaderSignature = "Viva-Signature"
)

// maxAnswer bounds how much of an answer is read, in bytes; nothing in it matters.
const maxAnswer = 16 << 10

var errGone = errors.New("the receiver answered 410: it is gone for good")

// Sign returns the signature of a request: "v1=" and the hex HMAC-SHA256, by the secret, of id, timestamp and body with dots
// between them.
func Sign(secret, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

// post sends a delivery. after is how long the receiver asks to be left alone. The error never holds the address.
func (c *Courier) post(ctx context.Context, d store.Delivery) (after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, tryLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.URL, bytes.NewReader(d.Body))
	if err != nil {
		return 0, errors.New("the address cannot be used")
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "viva/"+c.o.Version)
	request.Header.Set(HeaderID, d.ID)
	request.Header.Set(HeaderTimestamp, timestamp)
	if c.o.Secret != "" {
		request.Header.Set(HeaderSignature, Sign(c.o.Secret, d.ID, timestamp, d.Body))
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return 0, c.unreached(err)
	}
	defer func() { _ = answer.Body.Close() }()                         // nothing in it matters
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection can be used again
	switch code := answer.StatusCode; {
	case code >= 200 && code < 300:
		return 0, nil
	case code == http.StatusGone:
		return 0, errGone
	case code >= 300 && code < 400:
		return 0, fmt.Errorf("the receiver answered %d: redirects are not followed, name the final address", code)
	default:
		return retryAfter(answer.Header.Get("Retry-After")), fmt.Errorf("the receiver answered %d", code)
	}
}

// unreached says why there was no answer, without the address: it may hold a secret.
func (c *Courier) unreached(err error) error {
	if u, is := errors.AsType[*url.Error](err); is {
		err = u.Err
	}
	return errors.New("the receiver could not be reached: " + strings.ReplaceAll(err.Error(), c.o.URL, c.target))
}

// retryAfter reads the header: seconds, or a date.
func retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
