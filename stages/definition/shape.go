package definition

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

// fill decodes a YAML node into v and notes on the way what cannot be: unknown keys, lists where one value belongs,
// numbers that are none. Unlike the library's own decoder it goes on after a problem, so that all are found at once.
// It also notes where every path stands.
func (f *findings) fill(node ast.Node, v reflect.Value, path string) {
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
	switch {
	case v.Addr().Type().Implements(textUnmarshaler):
		f.text(node, v, path)
	case v.Kind() == reflect.Struct:
		f.block(node, v, path)
	case v.Kind() == reflect.Map:
		f.table(node, v, path)
	case v.Kind() == reflect.Slice:
		f.list(node, v, path)
	default:
		f.scalar(node, v, path)
	}
}

func (f *findings) place(node ast.Node, path string) {
	if _, known := f.places[path]; known {
		return
	}
	if pos := node.GetToken().Position; pos != nil {
		f.places[path] = place{pos.Line, pos.Column}
	}
}

func (f *findings) block(node ast.Node, v reflect.Value, path string) {
	pairs, ok := values(node)
	if !ok {
		f.add(path, "a block of keys belongs here, not %s", describe(node))
		return
	}
	fields := keys(v.Type())
	f.merge(pairs, v, path)
	for _, pair := range pairs {
		if _, is := pair.Key.(*ast.MergeKeyNode); is {
			continue
		}
		key := pair.Key.String()
		at := join(path, key)
		f.placeKey(pair, at)
		field, known := fields[key]
		if !known {
			f.add(at, "unknown key %q%s", key, hint(key, fields))
			continue
		}
		v.Field(field).SetZero() // what was merged in gives way as a whole
		f.fill(pair.Value, v.Field(field), at)
	}
}

// merge fills a block from those that it takes over by "<<: *name". Keys of its own replace theirs.
func (f *findings) merge(pairs []*ast.MappingValueNode, v reflect.Value, path string) {
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

func (f *findings) table(node ast.Node, v reflect.Value, path string) {
	pairs, ok := values(node)
	if !ok {
		f.add(path, "a block of keys belongs here, not %s", describe(node))
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(pairs)))
	for _, pair := range pairs {
		key := pair.Key.String()
		at := join(path, key)
		f.placeKey(pair, at)
		item := reflect.New(v.Type().Elem()).Elem()
		f.fill(pair.Value, item, at)
		v.SetMapIndex(reflect.ValueOf(key), item)
	}
}

func (f *findings) placeKey(pair *ast.MappingValueNode, path string) {
	if pos := pair.Key.GetToken().Position; pos != nil {
		f.places[path] = place{pos.Line, pos.Column}
	}
}

func (f *findings) list(node ast.Node, v reflect.Value, path string) {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		f.add(path, "a list belongs here, not %s", describe(node))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, item := range seq.Values {
		f.fill(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

func (f *findings) scalar(node ast.Node, v reflect.Value, path string) {
	if _, ok := node.(ast.ScalarNode); !ok {
		f.add(path, "one value belongs here, not %s", describe(node))
		return
	}
	if err := yaml.NodeToValue(node, v.Addr().Interface()); err != nil {
		f.add(path, "%s is not %s", node.String(), typeName(v.Kind()))
	}
}

func (f *findings) text(node ast.Node, v reflect.Value, path string) {
	s, ok := node.(ast.ScalarNode)
	if !ok {
		f.add(path, "one value belongs here, not %s", describe(node))
		return
	}
	u, _ := v.Addr().Interface().(encoding.TextUnmarshaler)
	if err := u.UnmarshalText([]byte(fmt.Sprint(s.GetValue()))); err != nil {
		f.add(path, "%v", err)
	}
}

// unwrap looks through tags, names that a value is given with &, and *, which stands for the value named before. done is
// to be called when the value was read: a value cannot hold itself.
func (f *findings) unwrap(node ast.Node, path string) (inner ast.Node, done func()) {
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
		f.add(path, "*%s stands for a value that was given the name before, as &%s: there is none", name, name)
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

func keys(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" {
			fields[name] = i
		}
	}
	return fields
}

func hint(key string, fields map[string]int) string {
	return Meant(key, slices.Sorted(maps.Keys(fields)))
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
