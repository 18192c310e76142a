package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/vivavoice/viva/agent/eval/talk"
	"github.com/vivavoice/viva/agent/judgemodel"
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/structured"
)

// Prefer has a model compare two talks of one scenario without knowing whose they are, twice: once with Viva's talk in first
// place, once with the other. The brief's own talk and expectations are not looked at. Errors are as those of Grade; with one
// there is no preference, for half of it would be one of the order.
func Prefer(ctx context.Context, model llm.Model, b Brief, viva, plain *talk.Talk) (talk.Preference, error) {
	ours, theirs := side{viva, talk.PrefersViva, "Viva's talk"}, side{plain, talk.PrefersPlain, "the plain talk"}
	first, why, err := better(ctx, model, b, ours, theirs)
	if err != nil {
		return talk.Preference{}, fmt.Errorf("compare the talks: %w", err)
	}
	second, other, err := better(ctx, model, b, theirs, ours)
	if err != nil {
		return talk.Preference{}, fmt.Errorf("compare the talks the other way round: %w", err)
	}
	p := talk.Preference{First: first, Second: second, Why: why}
	if first != second {
		p.Why += " The other way round: " + other
	}
	return p, nil
}

// side is one of two talks, and what people call it.
type side struct {
	talk   *talk.Talk
	choice talk.Choice
	name   string
}

// called finds where a reason names a talk.
var called = regexp.MustCompile(`\b[Tt]alk [AB]\b`)

// better asks once which of two talks, shown in this order, was better, and why.
func better(ctx context.Context, model llm.Model, b Brief, first, second side) (talk.Choice, string, error) {
	user, err := render("prefer_user", struct {
		Brief
		A, B []shown
	}{b.blind(), blind(first.talk), blind(second.talk)})
	if err != nil {
		return "", "", err
	}
	system, err := render("prefer_system", nil)
	if err != nil {
		return "", "", err
	}
	var a struct{ Why, Better string }
	err = judgemodel.New(model, nil).Ask(ctx, judgemodel.Call{
		Question:  structured.Question{Role: "eval_judge", System: system, User: user, Name: "preference", Schema: json.RawMessage(preferForm)},
		MaxTokens: tokensOfThought + tokensOfPreference,
		Read:      func(raw json.RawMessage) error { return json.Unmarshal(raw, &a) },
	})
	if err != nil {
		return "", "", err
	}
	sides := map[string]side{"A": first, "B": second}
	why := called.ReplaceAllStringFunc(tidy(a.Why), func(name string) string { return sides[name[len(name)-1:]].name })
	if better, is := sides[a.Better]; is {
		return better.choice, why, nil
	}
	return talk.PrefersNone, why, nil
}

// name is what an interviewer may call itself, and another program would not.
var name = regexp.MustCompile(`(?i)\bviva\b`)

func nameless(text string) string { return name.ReplaceAllString(text, "the interviewer") }

// blind leaves out of the brief what names anybody.
func (b Brief) blind() Brief {
	return Brief{
		Kind: b.Kind, Locale: b.Locale, Purpose: nameless(b.Purpose), Facts: nameless(b.Facts), Instructions: nameless(b.Instructions),
	}
}

// blind is a talk without what would tell whose it is: the numbers of its lines, the parts that only an engine has, and a name.
func blind(t *talk.Talk) []shown {
	anonymous := *t
	anonymous.Lines = slices.DeleteFunc(slices.Clone(t.Lines), func(l talk.Line) bool {
		return l.Speaker == talk.Happening && l.Code == "" && l.What != talk.Silence && l.What != talk.Typed && l.What != talk.Leaves
	})
	out := lines(&anonymous)
	for i := range out {
		out[i].N, out[i].Text = 0, nameless(out[i].Text)
	}
	return out
}
