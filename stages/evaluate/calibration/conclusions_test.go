package calibration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/evaluate"
	"github.com/vivavoice/viva/stages/evaluate/calibration"
)

// What counts as right, as silent and as false; what could not be judged is none of them.
func TestHear(t *testing.T) {
	list, err := calibration.ReadConclusions(strings.NewReader(`{"locale":"en","text":"right","time":"O(n log n)","space":"rows times columns"}
{"locale":"en","text":"half","time":"n","space":"1"}
{"locale":"en","text":"wrong","time":"n","space":""}
{"locale":"vi","text":"beside","time":"","space":"1"}
{"locale":"vi","text":"nothing","time":"","space":""}
{"locale":"vi","text":"invented","time":"","space":""}
{"locale":"vi","text":"broken","time":"n","space":""}
`))
	if err != nil {
		t.Fatal(err)
	}
	read := map[string][2]string{"right": {"n log n", "k n"}, "half": {"n", ""}, "wrong": {"n^2", ""}, "beside": {"n", "1"}, "invented": {"log n", ""}}
	h, err := calibration.Hear(t.Context(), list, "me", 3, func(_ context.Context, by string, it evaluate.Item) (evaluate.Evaluation, error) {
		if it.Answer == "broken" || by != "two_stage" || it.Question == "" {
			return evaluate.Evaluation{}, errors.New("away")
		}
		e := evaluate.Unassessed(by, "")
		e.Status = evaluate.StatusOK
		for i, of := range []string{"time", "space"} {
			if form := read[it.Answer][i]; form != "" {
				e.Costs = append(e.Costs, evaluate.Cost{Of: of, Form: form, Quote: evaluate.Quote{Turn: 1, Text: it.Answer}})
			}
		}
		e.Costs = append(e.Costs, evaluate.Cost{Of: "space", Form: "2^n", Quote: evaluate.Quote{Turn: 1, Text: "never said"}})
		return e, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []calibration.Count{
		{Language: "all", Claims: 5, Right: 1, None: 2, Silent: 1, False: 3, Unsaid: 6, NotJudged: 1},
		{Language: "en", Claims: 3, Right: 1, False: 1, Unsaid: 3},
		{Language: "vi", Claims: 2, None: 2, Silent: 1, False: 2, Unsaid: 3, NotJudged: 1},
	}
	if diff := cmp.Diff(want, h.Counts); diff != "" {
		t.Error(diff)
	}
	var table bytes.Buffer
	if _, err := h.WriteTo(&table); err != nil || !strings.Contains(table.String(), "1 of 5 (20.0 %)") || !strings.Contains(table.String(), "line 7 was not judged: away") {
		t.Errorf("%s %v", table.String(), err)
	}
	kept, err := json.Marshal(h)
	if err != nil || strings.Contains(string(kept), "beside") {
		t.Errorf("a run holds what was said: %s, %v", kept, err)
	}
}

// FuzzReadConclusions: what is taken has words, a language and forms that are read again the same.
func FuzzReadConclusions(f *testing.F) {
	f.Add(`{"locale":"en","text":"x","time":"O(n^2)","space":""}` + "\n{}")
	f.Add(`{"locale":"zh","text":"","time":"n","space":"n!"}`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := calibration.ReadConclusions(strings.NewReader(text))
		if err != nil {
			return
		}
		var again strings.Builder
		for _, c := range list {
			line, err := json.Marshal(c)
			if err != nil || c.Text == "" || c.Locale == "" {
				t.Fatalf("%+v, %v", c, err)
			}
			again.Write(append(line, '\n'))
		}
		if back, err := calibration.ReadConclusions(strings.NewReader(again.String())); err != nil || !cmp.Equal(back, list) {
			t.Errorf("%v is read again as %v, %v", list, back, err)
		}
	})
}
