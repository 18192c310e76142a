package room

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestTokenStaysOutOfErrors(t *testing.T) {
	const token = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJrIn0.c2ln"
	cause := fmt.Errorf("%w (could not connect: 401 invalid token: %s)", ErrRefused, token)
	err := fmt.Errorf("join room: %w", redact(cause, token))
	if strings.Contains(err.Error(), "eyJ") || !strings.Contains(err.Error(), "invalid token: [token]") {
		t.Errorf("the error says %q", err)
	}
	if !errors.Is(err, ErrRefused) {
		t.Error("the reason is lost")
	}
	if plain := errors.New("plain"); redact(plain, token).Error() != "plain" || redact(nil, token) != nil {
		t.Error("an error without the token is not touched")
	}
}
