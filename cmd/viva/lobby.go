package main

import (
	"maps"
	"slices"

	"github.com/vivavoice/viva/agent"
	"github.com/vivavoice/viva/agent/web"
)

// lobby is what the candidate's page offers: the interviews, their languages, and what may be chosen before they begin.
// records says that this worker can keep sound.
func lobby(kinds []agent.Kind, companies []string, records bool) []web.Interview {
	out := make([]web.Interview, 0, len(kinds))
	for _, k := range kinds {
		i := web.Interview{ID: k.ID, Title: k.Title, Description: k.Description, Locales: k.Locales, Recorded: records && k.Recorded}
		for _, v := range k.Vars {
			i.Vars = append(i.Vars, web.Var{Name: v.Name, Description: v.Description, Default: v.Default, Choices: choices(v, companies)})
		}
		out = append(out, i)
	}
	return out
}

func choices(v agent.KindVar, companies []string) (out []web.Choice) {
	if v.Company {
		for _, name := range companies {
			out = append(out, web.Choice{Value: name})
		}
	}
	for _, p := range v.Personas {
		out = append(out, web.Choice{Value: p.ID, Title: p.Name})
	}
	for _, id := range slices.Sorted(maps.Keys(v.Problems)) {
		out = append(out, web.Choice{Value: id, Title: v.Problems[id]})
	}
	return out
}
