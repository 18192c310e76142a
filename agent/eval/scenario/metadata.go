package scenario

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/vivavoice/viva/agent"
)

// metadata says what dispatch would send. The scenario's own keys go before those in metadata, these before userdata, and
// the file's defaults come last.
func (p *parser) metadata(d *document, e *entry, at string) agent.Metadata {
	m := e.Metadata
	p.kind(at+".metadata.interview", m.Interview)
	p.locale(at+".metadata.locale", m.Locale)
	p.same(at+".metadata.interview", e.Interview, m.Interview)
	p.same(at+".metadata.locale", e.Locale, m.Locale)
	if m.Resume != "" {
		p.Add(at+".metadata.resume", "it names a session to go on with, and an eval begins anew; a candidate's CV belongs in materials: {resume: …}")
	}
	p.checked(&m, at+".metadata")
	over(&m, fromUserdata(e.Userdata))
	m.Interview, m.Locale = cmp.Or(e.Interview, m.Interview, d.Interview), cmp.Or(e.Locale, m.Locale, d.Locale)
	return m
}

func (p *parser) same(path, own, again string) {
	if own != "" && again != "" && own != again {
		p.Add(path, "it is %q here and %q in the scenario itself: leave it out here", again, own)
	}
}

// checked notes what a worker would refuse.
func (p *parser) checked(m *agent.Metadata, path string) {
	text, err := json.Marshal(m)
	if err == nil {
		_, err = agent.ParseMetadata(string(text))
	}
	if err == nil {
		return
	}
	for problem := range strings.SplitSeq(err.Error(), "\n") {
		p.Add(path, "%s", problem)
	}
}

// over fills what m leaves open from less.
func over(m *agent.Metadata, less agent.Metadata) {
	m.Interview = cmp.Or(m.Interview, less.Interview)
	m.Locale = cmp.Or(m.Locale, less.Locale)
	m.Candidate.Name = cmp.Or(m.Candidate.Name, less.Candidate.Name)
	m.Candidate.Identity = cmp.Or(m.Candidate.Identity, less.Candidate.Identity)
	m.Consent = cmp.Or(m.Consent, less.Consent)
	m.Materials.Resume = cmp.Or(m.Materials.Resume, less.Materials.Resume)
	m.Materials.JobDescription = cmp.Or(m.Materials.JobDescription, less.Materials.JobDescription)
	if len(less.Vars) > 0 {
		vars := maps.Clone(less.Vars)
		maps.Copy(vars, m.Vars)
		m.Vars = vars
	}
}

// fromUserdata takes from LiveKit's userdata what a worker would take as metadata. Userdata may be written for other agents
// too: a value that does not fit is not meant for us and left alone.
func fromUserdata(userdata map[string]any) agent.Metadata {
	var m agent.Metadata
	for _, key := range []string{"interview", "candidate", "locale", "vars", "consent", "materials"} {
		value, there := userdata[key]
		if !there || value == nil {
			continue
		}
		if vars, is := value.(map[string]any); is && key == "vars" {
			value = texts(vars)
		}
		text, err := json.Marshal(map[string]any{key: value})
		if err != nil {
			continue
		}
		part, err := agent.ParseMetadata(string(text))
		if err != nil || part.Interview != "" && !kindPattern.MatchString(part.Interview) || part.Locale != "" && !localePattern.MatchString(part.Locale) {
			continue
		}
		over(&m, part)
	}
	return m
}

// texts lets numbers and truths count as text, as they do in metadata.
func texts(vars map[string]any) map[string]any {
	out := make(map[string]any, len(vars))
	for name, v := range vars {
		switch v.(type) {
		case uint64, int64, float64, bool:
			v = fmt.Sprint(v)
		}
		out[name] = v
	}
	return out
}
