package engine

import "github.com/vivavoice/viva/state"

// As returns the Ask as a Step would have left it in this state.
func (a Ask) As(iv *Interview, u *state.UserData) *Ask {
	a.iv, a.u = iv, u
	return &a
}
