package persona

import (
	"slices"
	"strings"

	"github.com/vivavoice/viva/stages/kinds/persona/knowledge"
	"github.com/vivavoice/viva/stages/material"
	"github.com/vivavoice/viva/stages/understand"
)

// maxRole bounds the name of a role in characters.
const maxRole = 60

// roleLines is how many lines at the top of a document may name the role.
const roleLines = 12

// roleMarks are what stands in front of a role in a document.
var roleMarks = []string{"job title", "position", "role", "title", "objective", "applying for", "target role", "职位", "岗位", "应聘", "vị trí", "chức danh"}

// Role returns the role of an interview: what dispatch says, or else what the job description names, or else the
// résumé (R002-65); "" where none does. In a document a role counts that the graph knows, or the words behind
// such a mark as "Job title:".
func Role(dispatch string, graph *knowledge.Graph, documents ...material.Document) string {
	if role := material.Speakable(dispatch, maxRole); role != "" {
		return role
	}
	for _, kind := range []material.Kind{material.JobDescription, material.Resume} {
		for _, d := range documents {
			if d.Kind != kind {
				continue
			}
			if role := roleIn(d.Text, graph); role != "" {
				return role
			}
		}
	}
	return ""
}

func roleIn(text string, graph *knowledge.Graph) string {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.Trim(line, " \t\r\n#*-•")
		if line == "" {
			continue
		}
		if n++; n > roleLines {
			break
		}
		if role := marked(line); role != "" {
			return role
		}
		if known := knownRole(line, graph); known != "" {
			return known
		}
	}
	return ""
}

// marked returns the words behind "Job title:" and the like.
func marked(line string) string {
	mark, rest, found := strings.Cut(strings.ReplaceAll(line, "：", ":"), ":")
	if !found || !slices.Contains(roleMarks, strings.ToLower(strings.TrimSpace(mark))) || understand.Words(rest) > 8 {
		return ""
	}
	return material.Speakable(rest, maxRole)
}

// knownRole returns the role that a short line, such as a headline, is about.
func knownRole(line string, graph *knowledge.Graph) string {
	if understand.Words(line) > 8 {
		return ""
	}
	for _, id := range graph.Roles() {
		if understand.Says(line, []string{strings.ReplaceAll(id, "_", " "), graph.Label(id, "zh"), graph.Label(id, "vi")}) {
			return graph.Label(id, "en")
		}
	}
	for _, b := range graph.Match(knowledge.RoleAlias, "$alias", "$role") {
		if understand.Says(line, []string{strings.ReplaceAll(b["alias"], "_", " ")}) {
			return graph.Label(b["role"], "en")
		}
	}
	return ""
}
