package persona

import (
	"strings"

	"github.com/vivavoice/viva/stages/facts"
	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
)

// FactRole is the fact about the role of an interview.
const FactRole = "role"

// namedRequirements is how many of a role's requirements are said, the weightiest first: more could not be kept in mind.
const namedRequirements = 3

// roleWords say what a role asks for.
var roleWords = map[string]struct{ before, between, comma, last, after string }{
	"en": {"The role is ", ". It usually asks for ", ", ", " and ", "; I know nothing about pay or team."},
	"zh": {"职位是", "，通常要求", "、", "和", "。薪资和团队我不了解。"},
	"vi": {"Vị trí là ", ". Vị trí này thường cần ", ", ", " và ", "; tôi không biết về lương hay nhóm."},
}

// RoleSheet returns what is known of a role, by its id, another name for it, or its name in any language; what nobody knows is
// empty. What it asks for is said in the graph's words, never those of a document; it is called as it was named.
func RoleSheet(role string) facts.Sheet {
	graph, err := knowledge.Default()
	if err != nil || role == "" {
		return nil // without the graph there is no persona interview at all
	}
	id := graph.Role(role)
	if id == "" {
		return nil
	}
	var needs []string
	for _, b := range graph.Match(knowledge.RoleRequirement, id, "$need") {
		if needs = append(needs, b["need"]); len(needs) == namedRequirements {
			break
		}
	}
	if len(needs) < 2 {
		return nil
	}
	f := facts.Fact{ID: FactRole, Say: make(map[string]string, len(roleWords))}
	for lang, w := range roleWords {
		wanted := make([]string, len(needs))
		for i, need := range needs {
			wanted[i] = graph.Label(need, lang)
		}
		last := len(wanted) - 1
		f.Say[lang] = w.before + called(graph, role, lang) + w.between + strings.Join(wanted[:last], w.comma) + w.last + wanted[last] + w.after
	}
	return facts.Sheet{f}
}
