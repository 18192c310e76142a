package twostage

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode"
)

// Limits of what is read as XML (R004-21).
const (
	MaxXML      = 256 << 10 // bytes
	maxDepth    = 32        // elements within elements
	maxElements = 20_000
)

var (
	errTooLarge = errors.New("it is larger than 256 KiB")
	errTooDeep  = errors.New("its elements are nested more than 32 deep")
	errTooMany  = errors.New("it has more than 20,000 elements")
	errNoTags   = errors.New("it holds no XML elements")
)

// node is an element. The root is nameless and holds the whole text.
type node struct {
	name     string // lower case, letters and digits only
	value    bool   // an attribute says something
	text     strings.Builder
	children []*node
}

// says reports whether anything stands in an element: a letter or a digit somewhere (R004-17).
func (n *node) says() bool {
	if n.value || holds(n.text.String()) {
		return true
	}
	for _, c := range n.children {
		if c.says() {
			return true
		}
	}
	return false
}

func holds(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// all returns the text of an element with that of its children, each on a line of its own.
func (n *node) all() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *node) write(b *strings.Builder) {
	b.WriteString(n.text.String())
	for _, c := range n.children {
		b.WriteByte('\n')
		c.write(b)
	}
}

// tagName folds the ways to write a name: stateVariables, state-variables, State_Variables.
func tagName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// tree builds nodes under the limits.
type tree struct {
	root  *node
	open  []*node // from the root to the innermost
	count int
}

func newTree() *tree {
	root := &node{}
	return &tree{root: root, open: []*node{root}}
}

func (t *tree) top() *node { return t.open[len(t.open)-1] }

func (t *tree) start(name string, value bool) error {
	if t.count++; t.count > maxElements {
		return errTooMany
	}
	if len(t.open) > maxDepth {
		return errTooDeep
	}
	n := &node{name: tagName(name), value: value}
	t.top().children = append(t.top().children, n)
	t.open = append(t.open, n)
	return nil
}

func (t *tree) end() {
	if len(t.open) > 1 {
		t.open = t.open[:len(t.open)-1]
	}
}

// How a text was read.
const (
	readXML     = "xml"
	readLenient = "lenient"
	readSpoken  = "spoken"
	readNone    = "none"
)

// readTree reads XML, well-formed or not. An error means that a limit was passed, or that there is no element at all.
func readTree(text string, sections map[string]string) (*node, string, error) {
	if len(text) > MaxXML {
		return nil, readNone, errTooLarge
	}
	root, err := strict(text)
	how := readXML
	if err != nil && !errors.Is(err, errTooDeep) && !errors.Is(err, errTooMany) {
		how = readLenient
		root, err = lenient(text, sections)
	}
	switch {
	case err != nil:
		return nil, readNone, err
	case len(root.children) == 0:
		return nil, readNone, errNoTags
	}
	return root, how, nil
}

// strict reads well-formed XML. The decoder knows the five predefined entities only and opens nothing: a document type
// declaration is skipped, and a reference to what it declares is a syntax error.
func strict(text string) (*node, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the text is UTF-8 already
	t := newTree()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return t.root, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			value := false
			for _, a := range token.Attr {
				value = value || holds(a.Value) && a.Name.Space != "xmlns" && a.Name.Local != "xmlns"
			}
			if err := t.start(token.Name.Local, value); err != nil {
				return nil, err
			}
		case xml.EndElement:
			t.end()
		case xml.CharData:
			t.top().text.Write(token)
		}
	}
}
