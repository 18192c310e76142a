package settings

import "strings"

// Secret is a value that formats as a mask, so that it cannot slip into a log, an error or a dump.
// The zero value means that none was given.
type Secret string

// A mask shows the last characters only of a secret long enough that they give nothing away.
const (
	maskTail      = 4
	maskMinLength = 12
)

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns the mask.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	if len(s) < maskMinLength {
		return "****"
	}
	return "****" + strings.ToValidUTF8(string(s[len(s)-maskTail:]), "?")
}

// GoString returns the mask, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText returns the mask, for JSON, YAML and zap.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
