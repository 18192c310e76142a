package state_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vivavoice/viva/state"
)

// fill draws a value for everything that v holds. A field that is added to the state is drawn, too: nothing is listed here.
func fill(r *rapid.T, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") == "-" {
				continue // no part of what is kept: folding the journal makes it anew
			}
			fill(r, v.Field(i), path+"."+v.Type().Field(i).Name)
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(r, path) {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), path)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			fillRaw(r, v, path)
			return
		}
		n := rapid.IntRange(0, 3).Draw(r, path)
		if n > 0 { // empty and missing are one in JSON
			v.Set(reflect.MakeSlice(v.Type(), n, n+rapid.IntRange(0, 2).Draw(r, path)))
		}
		for i := range n {
			fill(r, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		n := rapid.IntRange(0, 3).Draw(r, path)
		if n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
		}
		for i := range n {
			item := reflect.New(v.Type().Elem()).Elem()
			fill(r, item, path)
			key := reflect.ValueOf(fmt.Sprint("k", i))
			if v.Type().Key().Kind() == reflect.Uint64 {
				key = reflect.ValueOf(uint64(i))
			}
			v.SetMapIndex(key, item)
		}
	default:
		scalar(r, v, path)
	}
}

// fillRaw draws a JSON value as it is written: without spaces, and not null, which is the same as missing.
func fillRaw(r *rapid.T, v reflect.Value, path string) {
	if rapid.Bool().Draw(r, path) {
		b, err := json.Marshal([]string{rapid.String().Draw(r, path)})
		if err != nil {
			r.Fatal(err)
		}
		v.SetBytes(b)
	}
}

func scalar(r *rapid.T, v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.String().Draw(r, path))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(r, path))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(-1<<40, 1<<40).Draw(r, path))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(r, path))
	case reflect.Float64:
		v.SetFloat(rapid.Float64Range(0, 1).Draw(r, path))
	default:
		r.Fatalf("%s is a %s: the state is plain data", path, v.Kind())
	}
}

func draw(r *rapid.T) *state.UserData {
	u := &state.UserData{}
	fill(r, reflect.ValueOf(u).Elem(), "u")
	return u
}

func text(r *rapid.T, u *state.UserData) string {
	b, err := json.Marshal(u)
	if err != nil {
		r.Fatal(err)
	}
	return string(b)
}

// R001-17, RX-9: the whole state survives JSON to the byte.
func TestUserDataRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		u := draw(r)
		before := text(r, u)
		var back state.UserData
		if err := json.Unmarshal([]byte(before), &back); err != nil {
			r.Fatal(err)
		}
		if !reflect.DeepEqual(&back, u) {
			r.Fatalf("lost on the way:\n%+v\n%+v", u, &back)
		}
		if after := text(r, &back); after != before {
			r.Fatalf("\n%s\n%s", before, after)
		}
	})
}

// A clone is equal, and shares no slice, map or pointer with the original, however deep.
func TestCloneSharesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		u := draw(r)
		before := text(r, u)
		c := u.Clone()
		if after := text(r, c); after != before {
			r.Fatalf("the clone differs:\n%s\n%s", before, after)
		}
		apart(r, reflect.ValueOf(u).Elem(), reflect.ValueOf(c).Elem(), "u")
		scribble(reflect.ValueOf(c).Elem())
		if text(r, c) == before {
			r.Fatal("the clone was not changed: this test tests nothing")
		}
		if after := text(r, u); after != before {
			r.Fatalf("writing to the clone showed in the original:\n%s\n%s", before, after)
		}
	})
}

// apart checks that two values share no memory. Strings may: they cannot be written to.
func apart(r *rapid.T, a, b reflect.Value, path string) {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			apart(r, a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name)
		}
	case reflect.Pointer:
		if !a.IsNil() {
			separate(r, a, b, path)
			apart(r, a.Elem(), b.Elem(), path)
		}
	case reflect.Slice:
		if a.Len() > 0 {
			separate(r, a, b, path)
		}
		for i := range a.Len() {
			apart(r, a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		if !a.IsNil() {
			separate(r, a, b, path)
		}
		for _, k := range a.MapKeys() {
			apart(r, a.MapIndex(k), b.MapIndex(k), fmt.Sprint(path, ".", k))
		}
	default: // a plain value is copied
	}
}

func separate(r *rapid.T, a, b reflect.Value, path string) {
	if a.Pointer() == b.Pointer() {
		r.Fatalf("%s is shared", path)
	}
}

// scribble overwrites everything that v leads to.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			scribble(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Slice:
		whole := v.Slice(0, v.Cap())
		for i := range whole.Len() {
			scribble(whole.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			v.SetMapIndex(k, reflect.Zero(v.Type().Elem()))
		}
		if !v.IsNil() {
			if v.Type().Key().Kind() == reflect.String {
				v.SetMapIndex(reflect.ValueOf("scribbled"), reflect.Zero(v.Type().Elem()))
			}
		}
	case reflect.String:
		v.SetString("scribbled")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(-1)
	case reflect.Uint64:
		v.SetUint(1 << 50)
	case reflect.Uint8:
		v.SetUint('9')
	case reflect.Float64:
		v.SetFloat(-1)
	default: // fill allows no other
	}
}

func TestCloneOfNothing(t *testing.T) {
	if c := (&state.UserData{}).Clone(); !reflect.DeepEqual(c, &state.UserData{}) || c.Current() != nil {
		t.Errorf("%+v", c)
	}
}

// R001-18, R001-21, R001-54: the small questions that the state answers about itself.
func TestQuestionsToTheState(t *testing.T) {
	u := &state.UserData{Visits: []state.StageVisit{{Stage: "A", Visit: 1}, {Stage: "B", Visit: 2}}}
	if u.Current().Stage != "B" {
		t.Errorf("current is %+v", u.Current())
	}
	u.Current().Turns = 3
	if u.Visits[1].Turns != 3 {
		t.Error("Current is a copy")
	}
	l := state.Ledger{Asked: map[string][]string{"A": {"a.open"}, "B": {"b.open", "b.more#2"}}}
	for id, want := range map[string]bool{"a.open": true, "b.more#2": true, "b.more": false, "": false} {
		if l.Has(id) != want {
			t.Errorf("Has(%q) = %v", id, !want)
		}
	}
	for status, want := range map[state.SlotStatus]bool{
		state.SlotEmpty: false, state.SlotFilled: true, state.SlotRefused: true, state.SlotWaived: true,
	} {
		if (state.Slot{Status: status, Asked: 9}).Closed() != want {
			t.Errorf("%q closed = %v", status, !want)
		}
	}
}

func TestTimes(t *testing.T) {
	timer := state.Timer{Armed: 1000, After: 500}
	for now, want := range map[state.Millis]state.Millis{1000: 500, 1400: 100, 1500: 0, 9000: 0} {
		if got := timer.Left(now); got != want {
			t.Errorf("at %d: %d left, want %d", now, got, want)
		}
	}
	if state.FromDuration(1999*time.Microsecond) != 1 || state.Millis(1500).Duration() != 1500*time.Millisecond {
		t.Error("conversion")
	}
}
