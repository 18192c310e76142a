package room

import "strings"

// redacted is an error whose text may quote the token: servers and the SDK repeat it in what they say of it.
type redacted struct {
	err   error
	token string
}

// redact keeps the token out of the error's text. What it wraps stays reachable.
func redact(err error, token string) error {
	if err == nil || token == "" || !strings.Contains(err.Error(), token) {
		return err
	}
	return redacted{err, token}
}

func (r redacted) Error() string { return strings.ReplaceAll(r.err.Error(), r.token, "[token]") }

func (r redacted) Unwrap() error { return r.err }
