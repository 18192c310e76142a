package prompts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

// ErrMissing is wrapped by the error of Render when a prompt says something that is not known.
var ErrMissing = errors.New("is not known")

// missing names what is not known; it wraps ErrMissing.
type missing struct{ field string }

func (m *missing) Error() string { return m.field + " " + ErrMissing.Error() }

func (m *missing) Unwrap() error { return ErrMissing }

// field is one of the values that have no stand-in.
type field struct {
	empty func(*Data) bool
	fill  func(to *Data, from Data)
}

var fields = map[string]field{
	"Phase.Name": {func(d *Data) bool { return d.Phase.Name == "" }, func(d *Data, s Data) { d.Phase.Name = s.Phase.Name }},
	"Phase.Description": {func(d *Data) bool { return d.Phase.Description == "" },
		func(d *Data, s Data) { d.Phase.Description = s.Phase.Description }},
	"Phase.Keywords": {func(d *Data) bool { return len(d.Phase.Keywords) == 0 }, func(d *Data, s Data) { d.Phase.Keywords = s.Phase.Keywords }},
	"Company":        {func(d *Data) bool { return d.Company == "" }, func(d *Data, s Data) { d.Company = s.Company }},
	"Question":       {func(d *Data) bool { return d.Question == "" }, func(d *Data, s Data) { d.Question = s.Question }},
	"Problem":        {func(d *Data) bool { return d.Problem == "" }, func(d *Data, s Data) { d.Problem = s.Problem }},
	"Gap":            {func(d *Data) bool { return d.Gap == "" }, func(d *Data, s Data) { d.Gap = s.Gap }},
	"Earlier":        {func(d *Data) bool { return d.Earlier == "" }, func(d *Data, s Data) { d.Earlier = s.Earlier }},
	"Later":          {func(d *Data) bool { return d.Later == "" }, func(d *Data, s Data) { d.Later = s.Later }},
	"Picked":         {func(d *Data) bool { return d.Picked == "" }, func(d *Data, s Data) { d.Picked = s.Picked }},
	"Gaps":           {func(d *Data) bool { return len(d.Gaps) == 0 }, func(d *Data, s Data) { d.Gaps = s.Gaps }},
}

// functions are those of a template beside the language's own.
var functions = template.FuncMap{
	"join":   func(list []string) string { return strings.Join(list, ", ") },
	"need":   need,
	"quoted": quoted,
}

// quoted lists pieces of what was said, each in quotation marks; between stands the word for and.
func quoted(and string, pieces []string) string {
	marked := make([]string, len(pieces))
	for i, p := range pieces {
		marked[i] = "“" + p + "”"
	}
	return strings.Join(marked, and)
}

// need passes a value on unless it is empty. require puts it before the values that have no stand-in.
func need(name string, value any) (any, error) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil, &missing{name}
		}
	case []string:
		if len(v) == 0 {
			return nil, &missing{name}
		}
	}
	return value, nil
}

// tests are the functions that look at a value: it may be empty.
var tests = []string{"or", "and", "not", "eq", "ne", "len"}

// require makes a template fail where it would say a value that is not there. What if, with and range look at may be empty.
func require(node parse.Node) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, inner := range n.Nodes {
			require(inner)
		}
	case *parse.ActionNode:
		requirePipe(n.Pipe)
	case *parse.IfNode:
		require(n.List)
		require(n.ElseList)
	case *parse.WithNode:
		require(n.List)
		require(n.ElseList)
	case *parse.RangeNode:
		require(n.List)
		require(n.ElseList)
	}
}

func requirePipe(pipe *parse.PipeNode) {
	for _, command := range pipe.Cmds {
		if name, is := command.Args[0].(*parse.IdentifierNode); is && slices.Contains(tests, name.Ident) {
			continue
		}
		for i, arg := range command.Args {
			switch a := arg.(type) {
			case *parse.PipeNode:
				requirePipe(a)
			case *parse.FieldNode:
				command.Args[i] = required(arg, a.Ident)
			case *parse.VariableNode:
				if a.Ident[0] == "$" {
					command.Args[i] = required(arg, a.Ident[1:])
				}
			}
		}
	}
}

// required returns (need "the name" .The.Name) for a value that has no stand-in, and otherwise the node as it is.
func required(node parse.Node, path []string) parse.Node {
	name := strings.Join(path, ".")
	if _, is := fields[name]; !is {
		return node
	}
	tree, err := parse.Parse("need", fmt.Sprintf("{{(need %q %s)}}", name, "$."+name), "", "", functions)
	if err != nil {
		return node // the text above always parses
	}
	action, ok := tree["need"].Root.Nodes[0].(*parse.ActionNode)
	if !ok {
		return node
	}
	return action.Pipe.Cmds[0].Args[0]
}

// Needs lists what a prompt cannot do without, in any of its wordings of that form, such as Phase.Name. It is what has to
// be known when nothing else is, or all that can be left out.
func (c *Catalogue) Needs(id string, f Form) []string {
	var out []string
	for _, t := range c.entries[id][f] {
		for _, full := range []bool{false, true} {
			out = append(out, needs(t, full)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func needs(t *template.Template, full bool) []string {
	var out []string
	var d Data
	if full {
		d = sample()
		for _, f := range fields {
			f.fill(&d, Data{})
		}
	}
	for range fields {
		_, err := render(t, d)
		var m *missing
		if !errors.As(err, &m) {
			break
		}
		out = append(out, m.field)
		fields[m.field].fill(&d, sample())
	}
	return out
}

// Lacks lists which of the named values d does not have.
func Lacks(d Data, names []string) []string {
	var out []string
	for _, name := range names {
		if f, known := fields[name]; known && f.empty(&d) {
			out = append(out, name)
		}
	}
	return out
}

// References lists what a prompt takes from slots and variables, in any of its wordings of that form, such as Slot.role.
func (c *Catalogue) References(id string, f Form) []string {
	var out []string
	for _, t := range c.entries[id][f] {
		collect(t.Root, func(path []string) {
			if len(path) >= 2 && (path[0] == "Slot" || path[0] == "Var") {
				out = append(out, path[0]+"."+path[1])
			}
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// collect calls found with every path of fields that a template looks at, wherever.
func collect(node parse.Node, found func([]string)) {
	switch n := node.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, inner := range n.Nodes {
				collect(inner, found)
			}
		}
	case *parse.ActionNode:
		collect(n.Pipe, found)
	case *parse.PipeNode:
		if n == nil {
			return
		}
		for _, command := range n.Cmds {
			for _, arg := range command.Args {
				collect(arg, found)
			}
		}
	case *parse.FieldNode:
		found(n.Ident)
	case *parse.VariableNode:
		found(n.Ident[1:])
	case *parse.IfNode:
		branches(&n.BranchNode, found)
	case *parse.WithNode:
		branches(&n.BranchNode, found)
	case *parse.RangeNode:
		branches(&n.BranchNode, found)
	}
}

func branches(n *parse.BranchNode, found func([]string)) {
	collect(n.Pipe, found)
	collect(n.List, found)
	collect(n.ElseList, found)
}
