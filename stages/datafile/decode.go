package datafile

import (
	"encoding"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// maxNodes bounds what a file may hold: names that stand for names could make a small file huge.
const maxNodes = 50_000

// Shape is how a value is written.
type Shape uint8

// The shapes.
const (
	Scalar Shape = iota // one value
	List
	Block // of keys
)

// Union is a value that may be written in more than one shape.
type Union interface {
	// Into returns a pointer to what a value of this shape is read into. nil means that the shape does not belong here; belongs
	// is then what does, in words such as "a text or a list of texts". The pointer must not be a Union itself.
	Into(s Shape) (into any, belongs string)
}

// Decode reads the file into v, a pointer to a struct with yaml tags or to a map. It goes on after a problem and notes each on the
// way: unknown keys, with the key that was meant; lists where one value belongs; numbers that are none. It knows Union and
// encoding.TextUnmarshaler. It reports false when there is nothing to check further.
func (f *File) Decode(v any) bool {
	if f.Empty() {
		f.Add("", "this is not a YAML document: there is nothing in it")
	}
	if f.body == nil {
		return false
	}
	f.fill(f.body, reflect.ValueOf(v).Elem(), "")
	if f.filled > maxNodes {
		f.Add("", "the file holds more than %d values: do not nest names in names", maxNodes)
		return false
	}
	return true
}

// fill decodes a node into v, and notes where every path stands.
func (f *File) fill(node ast.Node, v reflect.Value, path string) {
	node, done := f.unwrap(node, path)
	defer done()
	if f.filled++; node == nil || f.filled > maxNodes {
		return
	}
	f.place(node, path)
	if _, ok := node.(*ast.NullNode); ok {
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(Union); ok {
		f.union(node, u, path)
		return
	}
	switch {
	case v.Addr().Type().Implements(textUnmarshaler):
		f.marshalled(node, v, path)
	case v.Kind() == reflect.Struct:
		f.block(node, v, path)
	case v.Kind() == reflect.Map:
		f.table(node, v, path)
	case v.Kind() == reflect.Slice:
		f.list(node, v, path)
	case v.Kind() == reflect.Interface:
		f.anything(node, v, path)
	default:
		f.scalar(node, v, path)
	}
}

func (f *File) union(node ast.Node, u Union, path string) {
	shape := Scalar
	if _, is := node.(*ast.SequenceNode); is {
		shape = List
	} else if _, is := values(node); is {
		shape = Block
	}
	into, belongs := u.Into(shape)
	if into == nil {
		f.Add(path, "%s belongs here, not %s", belongs, describe(node))
		return
	}
	f.fill(node, reflect.ValueOf(into).Elem(), path)
}

// anything decodes a node as it is written: into map[string]any, []any, or a single value.
func (f *File) anything(node ast.Node, v reflect.Value, path string) {
	var into any
	if _, is := node.(*ast.SequenceNode); is {
		into = new([]any)
	} else if _, is := values(node); is {
		into = new(map[string]any)
	} else {
		into = new(any)
		if err := yaml.NodeToValue(node, into); err != nil {
			f.Add(path, "%s cannot be read", node.String())
		}
	}
	inner := reflect.ValueOf(into).Elem()
	if inner.Kind() != reflect.Interface {
		f.fill(node, inner, path)
	}
	if inner.IsValid() && !inner.IsZero() {
		v.Set(inner)
	}
}

// place notes where a path stands: a block of keys where its first key does.
func (f *File) place(node ast.Node, path string) {
	if _, known := f.places[path]; known {
		return
	}
	if block, is := node.(*ast.MappingNode); is && !block.IsFlowStyle && len(block.Values) > 0 {
		node = block.Values[0]
	}
	if pair, is := node.(*ast.MappingValueNode); is {
		node = pair.Key
	}
	if token := node.GetToken(); token != nil && token.Position != nil {
		f.places[path] = [2]int{token.Position.Line, token.Position.Column}
	}
}

func (f *File) block(node ast.Node, v reflect.Value, path string) {
	pairs, ok := values(node)
	if !ok {
		f.Add(path, "a block of keys belongs here, not %s", describe(node))
		return
	}
	fields := keys(v.Type())
	f.merge(pairs, v, path)
	for _, pair := range pairs {
		if _, is := pair.Key.(*ast.MergeKeyNode); is {
			continue
		}
		key, at := f.key(pair, path)
		index, known := fields[key]
		if !known {
			f.Add(at, "unknown key %q%s", key, Meant(key, slices.Sorted(maps.Keys(fields))))
			continue
		}
		field := v.FieldByIndex(index)
		field.SetZero() // what was merged in gives way as a whole
		f.fill(pair.Value, field, at)
	}
}

// merge fills a block from those that it takes over by "<<: *name". Keys of its own replace theirs.
func (f *File) merge(pairs []*ast.MappingValueNode, v reflect.Value, path string) {
	for _, pair := range pairs {
		if _, is := pair.Key.(*ast.MergeKeyNode); !is {
			continue
		}
		node, done := f.unwrap(pair.Value, path)
		if node != nil {
			f.filled++
			f.block(node, v, path)
		}
		done()
	}
}

func (f *File) table(node ast.Node, v reflect.Value, path string) {
	pairs, ok := values(node)
	if !ok {
		f.Add(path, "a block of keys belongs here, not %s", describe(node))
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(pairs)))
	for _, pair := range pairs {
		key, at := f.key(pair, path)
		item := reflect.New(v.Type().Elem()).Elem()
		f.fill(pair.Value, item, at)
		v.SetMapIndex(reflect.ValueOf(key), item)
	}
}

// key returns the key of a pair and its path, and notes where that stands.
func (f *File) key(pair *ast.MappingValueNode, path string) (key, at string) {
	key = pair.Key.String()
	if text, is := pair.Key.(*ast.StringNode); is {
		key = text.Value
	}
	at = join(path, key)
	if pos := pair.Key.GetToken().Position; pos != nil {
		f.places[at] = [2]int{pos.Line, pos.Column}
	}
	return key, at
}

func (f *File) list(node ast.Node, v reflect.Value, path string) {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		f.Add(path, "a list belongs here, not %s", describe(node))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, item := range seq.Values {
		f.fill(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

func (f *File) scalar(node ast.Node, v reflect.Value, path string) {
	switch n := node.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if v.Kind() == reflect.String {
			v.SetString(n.GetToken().Value) // as it is written: 1.10 stays that
			return
		}
	case ast.ScalarNode:
	default:
		f.Add(path, "one value belongs here, not %s", describe(node))
		return
	}
	if err := yaml.NodeToValue(node, v.Addr().Interface()); err != nil {
		f.Add(path, "%s is not %s", node.String(), typeName(v.Kind()))
	}
}

func (f *File) marshalled(node ast.Node, v reflect.Value, path string) {
	s, ok := node.(ast.ScalarNode)
	if !ok {
		f.Add(path, "one value belongs here, not %s", describe(node))
		return
	}
	u, _ := v.Addr().Interface().(encoding.TextUnmarshaler)
	if err := u.UnmarshalText([]byte(fmt.Sprint(s.GetValue()))); err != nil {
		f.Add(path, "%v", err)
	}
}

// unwrap looks through tags, names that a value is given with &, and *, which stands for the value named before. done is
// to be called when the value was read: a value cannot hold itself.
func (f *File) unwrap(node ast.Node, path string) (inner ast.Node, done func()) {
	switch n := node.(type) {
	case *ast.AnchorNode:
		inner, done := f.unwrap(n.Value, path)
		return inner, func() {
			done()
			f.anchors[n.Name.String()] = inner
		}
	case *ast.TagNode:
		return f.unwrap(n.Value, path)
	case *ast.AliasNode:
		name := n.Value.String()
		if value, known := f.anchors[name]; known {
			return value, func() {}
		}
		f.place(node, path)
		f.Add(path, "*%s stands for a value that was given the name before, as &%s: there is none", name, name)
		return nil, func() {}
	}
	return node, func() {}
}

func values(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// keys are the fields of a struct by their keys, those of inline structs among them.
func keys(t reflect.Type) map[string][]int {
	fields := make(map[string][]int, t.NumField())
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name != "" {
			fields[name] = field.Index
		}
	}
	return fields
}

func describe(node ast.Node) string {
	switch node.(type) {
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a block of keys"
	}
	return fmt.Sprintf("the value %s", node.String())
}

func typeName(k reflect.Kind) string {
	switch k {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	default:
		return "text"
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
