package engine

import "github.com/vivavoice/viva/state"

// As returns the Lead as a Step would have left it in this state.
func (l Lead) As(iv *Interview, u *state.UserData) *Lead {
	l.iv, l.u = iv, u
	return &l
}
