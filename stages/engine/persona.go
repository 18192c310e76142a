package engine

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vivavoice/viva/stages/cast"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/stages/understand"
	"github.com/vivavoice/viva/state"
)

// maxMaterial bounds a document that is kept, in characters: what a model is shown of one is less.
const maxMaterial = 12_000

// castPersonas checks that there is somebody to choose, where candidates choose who interviews.
func (iv *Interview) castPersonas() error {
	switch {
	case iv.Def.Personas == nil:
		iv.Personas = nil
	case iv.Personas == nil:
		return fmt.Errorf("interview %s: candidates choose who interviews, and nobody was given: use WithPersonas", iv.Def.Kind)
	}
	return nil
}

// Persona returns who interviews, once somebody was chosen, or nil.
func (iv *Interview) Persona(u *state.UserData) *cast.Persona {
	if iv.Personas == nil {
		return nil
	}
	id, _ := valueOf(u.Fields[cast.FieldPersona]).(string)
	if p, there := iv.Personas.Find(id); there {
		return p
	}
	return nil
}

// presetPersona settles a persona that dispatch named. One that nobody knows is let go of, so that the menu is offered
// (R002-3, R002-6).
func (s blackboard) presetPersona() {
	f := s.u.Fields[cast.FieldPersona]
	if s.iv.Personas == nil || f.Empty() {
		return
	}
	p := s.iv.Persona(s.u)
	if p == nil {
		s.fact("persona.unknown")
		s.write("engine", cast.FieldPersona, json.RawMessage("null"))
		return
	}
	s.choose(p, cast.ByMetadata)
}

// choose notes who interviews, and how that came about (R002-4).
func (s blackboard) choose(p *cast.Persona, by cast.By) {
	s.jot(string(by), cast.FieldPersona, p.ID)
	s.jot(string(by), cast.FieldChosenBy, string(by))
	s.fact("persona.chosen", field("persona", p.ID), field("by", string(by)))
	s.shareChoice()
}

// varInterviewer is the variable with the name of who interviews, in the language of the interview.
const varInterviewer = "interviewer"

// shareChoice keeps the variables persona and role, where the definition declares them, as the blackboard has them, and says who
// interviews: prompts and reports read variables.
func (s blackboard) shareChoice() {
	if s.iv.Personas == nil {
		return
	}
	for _, name := range []string{cast.FieldPersona, cast.FieldRole} {
		value, _ := valueOf(s.u.Fields[name]).(string)
		if _, declared := s.iv.Def.Vars[name]; declared && value != "" {
			s.u.Vars[name] = value
		}
	}
	if p := s.iv.Persona(s.u); p != nil {
		s.u.Vars[varInterviewer] = p.Called(s.iv.Words.Locale())
	}
}

// atMenu reports whether the stage offers the personas.
func (s *situation) atMenu(st *definition.Stage) bool {
	return s.iv.Def.Personas != nil && st.ID == s.iv.Def.Personas.Menu
}

// pastMenu leaves the menu out when somebody is chosen already (R002-6).
func (s *situation) pastMenu(st *definition.Stage) *definition.Stage {
	if s.atMenu(st) && s.iv.Persona(s.u) != nil {
		return &s.iv.Def.Stages[s.iv.Def.Index(st.ID)+1]
	}
	return st
}

// personaChosen: the candidate chose on the page. It answers the menu as if its name had been typed, and stands in the transcript
// as that (R002-4, R002-5).
func (s *step) personaChosen(e Chosen) {
	st := s.stage()
	if st == nil || s.iv.Personas == nil || !s.atMenu(st) {
		s.fact("event.noop", field("event", Name(e)))
		return
	}
	p, there := s.iv.Personas.Find(e.Persona)
	if !there {
		s.fact("persona.unknown")
		return
	}
	s.blackboard.choose(p, cast.ByPage)
	s.u.Current().Opened = true // who has chosen need not hear the menu
	s.userTurn(UserTurn{Text: p.Called(s.iv.Words.Locale()), Typed: true, Began: s.u.Now, Reason: "chosen"})
}

// material keeps a document that was handed in, if the definition has a field for it. It is read by experts, as data.
func (s blackboard) material(e Material) {
	kinds := []string{expert.FieldResume, expert.FieldJob}
	f, declared := s.iv.Def.Fields[e.Kind]
	if s.u.Stage == "" || !declared || !slices.Contains(kinds, e.Kind) || f.Type != "" && f.Type != "text" {
		s.fact("material.refused", field("kind", understand.Clip(e.Kind, maxFailure)))
		return
	}
	s.jot("candidate", e.Kind, understand.Clip(e.Text, maxMaterial))
	s.fact("material.kept", field("kind", e.Kind), field("words", understand.Words(e.Text)))
}

// jot writes a text to a field; what the definition has no field for is kept where experts keep it.
func (s blackboard) jot(author, id, text string) {
	if _, declared := s.iv.Def.Fields[id]; !declared {
		s.apply(author, map[string]any{expert.FieldExtra: map[string]any{id: text}})
		return
	}
	s.apply(author, map[string]any{id: text})
}
