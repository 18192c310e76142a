package family_test

import (
	"slices"
	"testing"

	lib "github.com/sashabaranov/go-openai"

	"github.com/vivavoice/viva/pipeline/openai/family"
)

func TestNamesLeadToFamilies(t *testing.T) {
	for _, c := range []struct {
		model       string
		known       bool
		least, more string
		unreasoned  bool // a temperature is taken at the least effort
		reasoned    bool // and at more
	}{
		{"gpt-4o-mini", true, "", "", true, true},
		{"gpt-4o-2024-11-20", true, "", "", true, true},
		{"gpt-4.1-nano", true, "", "", true, true},
		{"o1", true, "low", "low", false, false},
		{"o3-mini-2025-01-31", true, "low", "low", false, false},
		{"o4-mini", true, "low", "low", false, false},
		{"gpt-5", true, "minimal", "low", false, false},
		{"gpt-5-mini", true, "minimal", "low", false, false},
		{"openai/gpt-5-nano", true, "minimal", "low", false, false},
		{"gpt-5-chat-latest", true, "", "", false, false},
		{"gpt-5.1", true, "none", "low", false, false},
		{"gpt-5.1-chat-latest", true, "medium", "medium", false, false},
		{"gpt-5.4-mini", true, "none", "low", false, false},
		{"gpt-5.6-luna", true, "none", "low", false, false},
		{"gpt-6-luna", true, "none", "low", true, false},
		{"gpt-6.1-terra", true, "none", "low", true, false},
		{"gpt-6.1-sol", true, "low", "low", false, false},
		{"gpt-oss-20b", false, "", "", true, true},
		{"llama3.3", false, "", "", true, true},
		{"o1000", false, "", "", true, true},
		{"", false, "", "", true, true},
	} {
		f := family.Of(c.model)
		if f.Known != c.known || f.Least() != c.least || f.More() != c.more {
			t.Errorf("%s: known %v, efforts from %q and %q; want %v, %q, %q", c.model, f.Known, f.Least(), f.More(), c.known, c.least, c.more)
		}
		if f.Temperature.Takes(f.Least()) != c.unreasoned || f.Temperature.Takes(f.More()) != c.reasoned {
			t.Errorf("%s: temperature at the least effort %v, at more %v", c.model, f.Temperature.Takes(f.Least()), f.Temperature.Takes(f.More()))
		}
	}
}

// What the table says may be sent is not what go-openai refuses before it is sent.
func TestTheLibraryAgrees(t *testing.T) {
	models := []string{
		lib.GPT4oMini, lib.GPT4Dot1Mini, lib.O1, lib.O3, lib.O3Mini, lib.O4Mini, lib.GPT5, lib.GPT5Mini, lib.GPT5Nano, lib.GPT5ChatLatest,
		lib.GPT5Dot1, lib.GPT5Dot2, lib.GPT5Dot4Mini, lib.GPT5Dot5, lib.GPT5Dot6Luna, lib.GPT6Luna, lib.GPT6Sol, lib.GPT6Astra, lib.GPT6Dot1Sol,
	}
	for _, model := range models {
		f := family.Of(model)
		if !f.Known {
			t.Errorf("%s is not in the table", model)
		}
		for _, effort := range append(slices.Clone(f.Efforts), "") {
			r := lib.ChatCompletionRequest{Model: model, ReasoningEffort: effort, MaxCompletionTokens: 100}
			at := effort
			if at == "" {
				at = f.Default
			}
			if f.Temperature.Takes(at) {
				r.Temperature = 0.4
			}
			if err := lib.NewReasoningValidator().Validate(r); err != nil {
				t.Errorf("%s at %q: %v", model, effort, err)
			}
		}
	}
}

func TestEffortsLeaveRoom(t *testing.T) {
	last := -1
	for _, e := range family.Efforts() {
		if family.Room(e) < last || e != family.None && family.Room(e) == 0 {
			t.Errorf("%s has room for %d tokens of reasoning, the effort below it %d", e, family.Room(e), last)
		}
		last = family.Room(e)
	}
	if family.Room("") != 0 {
		t.Error("a model that does not reason is given room for it")
	}
}
