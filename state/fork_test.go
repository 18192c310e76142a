package state_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/state"
)

// RX-9: a fork is equal, and what Step may do to it (append to any list, set any entry, change the visit on the floor, a queued
// question or a judgement) shows neither in the original nor in another fork of it.
func TestForksKeepApart(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		u := draw(r)
		before := text(r, u)
		a, b := u.Fork(), u.Fork()
		if got := text(r, a); got != before {
			r.Fatalf("the fork differs:\n%s\n%s", before, got)
		}
		change(a)
		if text(r, a) == before {
			r.Fatal("the fork was not changed: this test tests nothing")
		}
		if text(r, u) != before || text(r, b) != before {
			r.Fatalf("writing to a fork showed elsewhere:\n%s\n%s\n%s", before, text(r, u), text(r, b))
		}
		was := text(r, a)
		change(b)
		change(u.Fork())
		if text(r, a) != was || text(r, u) != before {
			r.Fatal("two forks share memory")
		}
	})
}

// change does to a state what a step may do.
func change(u *state.UserData) {
	grow(reflect.ValueOf(u).Elem())
	if v := u.Current(); v != nil {
		v.Turns += 7
		v.InputTurns = append(v.InputTurns, 7)
		if v.Held != nil {
			v.Held.Text += "!"
			v.Held.Prompts = append(v.Held.Prompts, "x")
		}
	}
	for i := range u.Queue {
		u.Queue[i].Status += "!"
	}
	for i := range u.Judgements {
		u.Judgements[i].Missing += "!"
	}
	u.Floor.Text += "!"
	u.Now++
}

// grow appends to every list and sets an entry of every map, in the state itself and in the structs that it holds.
func grow(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Field(i)
		switch field.Kind() {
		case reflect.Struct:
			grow(field)
		case reflect.Pointer:
			if !field.IsNil() {
				grow(field.Elem())
			}
		case reflect.Slice:
			field.Set(reflect.Append(field, reflect.Zero(field.Type().Elem())))
		case reflect.Map:
			if field.IsNil() {
				continue
			}
			for _, k := range field.MapKeys() {
				if item := field.MapIndex(k); item.Kind() == reflect.Slice {
					field.SetMapIndex(k, reflect.Append(item, reflect.Zero(item.Type().Elem())))
				} else {
					field.SetMapIndex(k, reflect.Zero(item.Type()))
				}
			}
		default: // a plain value is copied
		}
	}
}

func BenchmarkFork(b *testing.B) {
	u := &state.UserData{Ledger: state.Ledger{Asked: map[string][]string{"a": {"x", "y"}}}, Vars: map[string]string{"a": "b"}}
	for i := range 120 {
		u.Turns = append(u.Turns, state.Turn{ID: uint64(i), Text: "words"})
		u.Patches = append(u.Patches, state.Patch{ID: uint64(i), After: []byte(`"x"`)})
	}
	u.Visits = make([]state.StageVisit, 8)
	b.Run("fork", func(b *testing.B) {
		for b.Loop() {
			u.Fork()
		}
	})
	b.Run("clone", func(b *testing.B) {
		for b.Loop() {
			u.Clone()
		}
	})
}
