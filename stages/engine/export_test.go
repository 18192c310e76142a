package engine

import "github.com/vivavoice/viva/state"

// Told is what of a text is no question at its end.
func Told(text string) string { return told(text) }

// As returns the Lead as a Step would have left it in this state.
func (l Lead) As(iv *Interview, u *state.UserData) *Lead {
	l.iv, l.u = iv, u
	return &l
}
