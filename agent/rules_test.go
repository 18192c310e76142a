package agent

import (
	"slices"
	"testing"
	"time"

	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/state"
)

// forgery is a trace that breaks a rule, made of one that breaks none.
type forgery struct {
	rule rule
	name string
	// doctor changes the trace; it returns nil where the trace offers no place for it.
	doctor func(trace []note) []note
	// engine stands in for a faulty engine.
	engine func(step) step
}

// judge has the rules look at a trace.
func judge(iv *engine.Interview, f forgery, trace []note) []breach {
	r := newRules(iv)
	if f.engine != nil {
		r.step = f.engine(r.step)
	}
	for _, n := range trace {
		r.see(n)
	}
	return r.broken
}

// Each of the twelve rules can fail: traces of real interviews, which break none, are doctored until they do.
func TestEveryRuleCanFail(t *testing.T) {
	interviews := paces(t)
	var worlds []*world
	for seed := range uint64(60) {
		w := playSeed(t, interviews, seed+1, true)
		if again := judge(w.iv, forgery{}, w.trace); len(w.rules.broken)+len(again) > 0 {
			t.Fatalf("seed %d:\n%s%s", w.seed, lines(w.rules.broken), lines(again))
		}
		worlds = append(worlds, w)
	}
	proven := make(map[rule]bool)
	for _, f := range slices.Concat(forgedSound(), forgedStory()) {
		t.Run(f.name, func(t *testing.T) {
			tried := 0
			for _, w := range worlds {
				trace := f.doctor(slices.Clone(w.trace))
				if trace == nil {
					continue
				}
				tried++
				if broken := judge(w.iv, f, trace); slices.ContainsFunc(broken, func(b breach) bool { return b.rule == f.rule }) {
					proven[f.rule] = true
					return
				}
			}
			t.Errorf("%v was not found broken in %d doctored traces", f.rule, tried)
		})
	}
	for r := oneFloor; r <= sameStory; r++ {
		if !proven[r] {
			t.Errorf("%v: nothing shows that it can fail", r)
		}
	}
}

// find returns where the first note of a kind stands that fits, or -1.
func find(trace []note, kind noteKind, fits func(note) bool) int {
	return slices.IndexFunc(trace, func(n note) bool { return n.kind == kind && (fits == nil || fits(n)) })
}

// journal fits journalled events of one type.
func journal[E engine.Event](n note) bool {
	_, is := n.event.(E)
	return is
}

// insert puts a copy of a note behind position i, a little later.
func insert(trace []note, i int, n note) []note {
	if i < 0 {
		return nil
	}
	n.at = trace[i].at + time.Millisecond
	return slices.Insert(trace, i+1, n)
}

// without drops the first note that fits.
func without(kind noteKind, fits func(note) bool) func([]note) []note {
	return func(trace []note) []note {
		i := find(trace, kind, fits)
		if i < 0 {
			return nil
		}
		return slices.Delete(trace, i, i+1)
	}
}

// twice repeats the first note that fits.
func twice(kind noteKind, fits func(note) bool) func([]note) []note {
	return func(trace []note) []note {
		i := find(trace, kind, fits)
		if i < 0 {
			return nil
		}
		return insert(trace, i, trace[i])
	}
}

// changed changes the first note that fits.
func changed(kind noteKind, fits func(note) bool, change func(*note)) func([]note) []note {
	return func(trace []note) []note {
		i := find(trace, kind, fits)
		if i < 0 {
			return nil
		}
		change(&trace[i])
		return trace
	}
}

func same(trace []note) []note { return trace }

// each is an engine whose effects of a type are changed; what the change returns stands in the effect's place.
func each[E engine.Effect](change func(E) []engine.Effect) func(step) step {
	return func(right step) step {
		return func(u *state.UserData, at state.Millis, ev engine.Event) (*state.UserData, []engine.Effect) {
			u, effects := right(u, at, ev)
			var out []engine.Effect
			for _, e := range effects {
				if x, is := e.(E); is {
					out = append(out, change(x)...)
				} else {
					out = append(out, e)
				}
			}
			return u, out
		}
	}
}

// double repeats the facts of a name.
func double(name string) func(step) step {
	return each(func(f engine.Fact) []engine.Effect {
		if f.Name == name {
			return []engine.Effect{f, f}
		}
		return []engine.Effect{f}
	})
}

// drop leaves the facts of a name out.
func drop(name string) func(step) step {
	return each(func(f engine.Fact) []engine.Effect {
		if f.Name == name {
			return nil
		}
		return []engine.Effect{f}
	})
}
