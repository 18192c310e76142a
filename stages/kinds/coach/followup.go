package coach

import (
	"strings"

	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/problem"
	"github.com/vivavoice/viva/stages/understand"
)

// followUpsMax is how many follow-up questions are asked, one at a time (R003-45).
const followUpsMax = 2

// followUpsAsked counts the questions asked, in the board's extra field.
const followUpsAsked = "follow_ups_asked"

// followUps takes a solved task further: each question a little harder than the one before.
type followUps struct{ *kit }

// process answers a turn.
func (e followUps) process(b *expert.Board) expert.Response {
	asked := e.count(b)
	switch {
	case b.Wants(understand.Skip, understand.No, understand.Refuse, understand.Done) && understand.Words(b.Input) <= acceptWords+acceptWords:
		return done(expert.Success(e.say(b, "follow.decline"), Summary))
	case stuck(b):
		return e.hint(b)
	case asked >= followUpsMax:
		return done(expert.Success(e.related(b), Summary))
	}
	text, aim := e.next(b, asked)
	if text == "" {
		return done(expert.Success(e.say(b, "follow.end"), Summary))
	}
	r := expert.Success(text, "", expert.Update{Field: followUpsAsked, Value: asked + 1})
	r.Metadata["aim"] = aim
	return r
}

func done(r expert.Response) expert.Response {
	r.Flags = append(r.Flags, FlagFollowUps)
	return r
}

// bank returns the questions in order, with their aims: the problem's, which its pattern brings with it, or general ones.
func (k *kit) bank(b *expert.Board) (texts, aims []string) {
	lang := k.language(b)
	if p := b.Secret.Problem; p != nil {
		for _, q := range p.FollowUps {
			texts, aims = append(texts, problem.In(q.Question, lang)), append(aims, q.Aim)
		}
		return texts, aims
	}
	for _, aim := range []string{problem.AimInput, problem.AimSpace, problem.AimSpecial, problem.AimVariant} {
		texts, aims = append(texts, k.words[lang].FollowUps[aim]), append(aims, aim)
	}
	return texts, aims
}

// count returns how many questions of the bank were asked: by the board, or by the talk.
func (e followUps) count(b *expert.Board) int {
	n := 0
	switch v := b.Value(followUpsAsked).(type) {
	case int:
		n = v
	case float64:
		n = int(v)
	}
	texts, _ := e.bank(b)
	said := 0
	for _, text := range texts {
		if b.Heard(text) {
			said++
		}
	}
	return max(n, said)
}

// next returns the next question: of two, the first comes from the easier half of the bank, the second from the harder
// (R003-44), so that seeds differ and difficulty rises.
func (e followUps) next(b *expert.Board, asked int) (text, aim string) {
	texts, aims := e.bank(b)
	if len(texts) == 0 {
		return "", ""
	}
	half := (len(texts) + 1) / followUpsMax
	from := min(asked*half, len(texts)-1)
	width := max(1, min(half, len(texts)-from))
	at := from + int(fixed(b)%uint64(width))
	if b.Heard(texts[at]) {
		return "", ""
	}
	return texts[at], aims[at]
}

// fixed is a number that stays the same through one interview about one problem.
func fixed(b *expert.Board) uint64 { return uint64(len(b.Problem.ID) + len(b.UserApproach())) }

// related leads on to tasks of the same kind.
func (e followUps) related(b *expert.Board) string {
	if p := b.Secret.Problem; p != nil {
		if list := problem.In(p.Related, e.language(b)); len(list) > 0 && understand.Which(strings.Join(list, " "), b.Secret.Synonyms) == "" {
			return e.say(b, "follow.done", "related", list[fixed(b)%uint64(len(list))])
		}
	}
	return e.say(b, "follow.end")
}
