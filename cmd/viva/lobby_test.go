package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/agent"
)

// The page offers each interview in its languages, with the companies and problems there are; the question is no choice of
// the candidate's.
func TestLobby(t *testing.T) {
	library, err := agent.LoadLibrary("", "")
	if err != nil {
		t.Fatal(err)
	}
	offered := make(map[string]agent.Kind)
	for _, i := range lobby(library.Kinds(), []string{"default", "google_like"}, false) {
		offered[i.ID] = i
	}
	design, coach := offered["system_design"], offered["algorithm_coach"]
	if diff := cmp.Diff([]string{"en", "zh"}, design.Locales); diff != "" || len(offered["two_stage"].Vars) != 0 {
		t.Errorf("%s%+v", diff, offered["two_stage"])
	}
	if len(design.Vars) != 1 || design.Vars[0].Name != "company" || design.Vars[0].Default != "default" {
		t.Fatalf("%+v", design.Vars)
	}
	if diff := cmp.Diff([]agent.Choice{{Value: "default"}, {Value: "google_like"}}, design.Vars[0].Choices); diff != "" {
		t.Error(diff)
	}
	found := false
	for _, v := range coach.Vars {
		for _, c := range v.Choices {
			found = found || v.Name == "problem" && c == agent.Choice{Value: "gift_pair", Title: "The gift card"}
		}
	}
	if !found {
		t.Errorf("%+v", coach.Vars)
	}
}
