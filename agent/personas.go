package agent

import (
	"encoding/json"

	"github.com/vivavoice/viva/agent/session"
	"github.com/vivavoice/viva/pipeline/tts"
	"github.com/vivavoice/viva/stages/definition"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/expert"
	"github.com/vivavoice/viva/state"
)

// Attributes of the agent's participant about who interviews.
const (
	attributeMenu      = "viva.personas"  // on: the page shows the menu
	attributePersona   = "viva.persona"   // the name of who interviews
	attributeMaterials = "viva.materials" // on: a résumé and a job description can be handed in (topic viva.material)
)

var _ session.Cast = (*presence)(nil)

// Persona implements session.Cast.
func (p *presence) Persona(id string) {
	if who, there := p.interview.Personas.Find(id); there {
		p.room.SetAttributes(map[string]string{attributePersona: who.Called(p.interview.Words.Locale())})
	}
}

// personaAttributes are those of a stage; all are set in each, so that none is left over.
func personaAttributes(iv *engine.Interview, stage string) map[string]string {
	out := make(map[string]string)
	if iv.Def.Personas != nil {
		out[attributeMenu] = ""
		if stage == iv.Def.Personas.Menu {
			out[attributeMenu] = "on"
		}
	}
	if takesMaterials(iv.Def) {
		out[attributeMaterials] = ""
		if st := iv.Def.Stage(stage); st != nil && st.Responder == definition.ByExperts {
			out[attributeMaterials] = "on"
		}
	}
	return out
}

// takesMaterials reports whether the interview reads documents.
func takesMaterials(def *definition.Definition) bool {
	_, resume := def.Fields[expert.FieldResume]
	_, job := def.Fields[expert.FieldJob]
	return resume || job
}

// menuOf makes the packet of the menu.
func menuOf(iv *engine.Interview) ([]byte, error) {
	type entry struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	list := []entry{}
	for _, p := range iv.Personas.Personas() {
		list = append(list, entry{ID: p.ID, Name: p.Called(iv.Words.Locale())})
	}
	return json.Marshal(list)
}

// showMenu sends the menu to the page, in an interview that has one.
func (p *presence) showMenu() {
	if p.interview == nil || p.interview.Personas == nil {
		return
	}
	packet, err := menuOf(p.interview)
	p.send(topicPersonas, packet, err)
}

// askedMenu sends the menu again to a page that asks for it, not too often.
func (p *presence) askedMenu() {
	if p.menuAsked.now() {
		p.showMenu()
	}
}

// soundOf is how an interview's first words sound: as its persona does, if dispatch chose one.
func soundOf(iv *engine.Interview, start engine.Started, speech string) tts.Request {
	like := voiceOf(iv)
	u, _ := iv.Step(&state.UserData{}, 0, start)
	if p := iv.Persona(u); p != nil {
		v := p.Voice(speech)
		like.Voice, like.Speed = v.Name, v.Speed
	}
	return like
}
