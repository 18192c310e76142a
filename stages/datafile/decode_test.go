package datafile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vivavoice/viva/stages/datafile"
)

type shelf struct {
	Name  string         `yaml:"name"`
	Books []book         `yaml:"books"`
	Extra map[string]any `yaml:"extra"`
}

// book is a title, or a title and its pages.
type book struct {
	Title string `yaml:"title"`
	Pages int    `yaml:"pages"`
}

type bookBlock book

func (b *book) Into(s datafile.Shape) (any, string) {
	switch s {
	case datafile.Scalar:
		return &b.Title, ""
	case datafile.Block:
		return (*bookBlock)(b), ""
	}
	return nil, "a title, or a block of keys,"
}

func TestDecodeTakesEveryShape(t *testing.T) {
	f := datafile.Open("a.yaml", []byte(`name: x
books:
  - &first {title: one, pages: 3}
  - two
  - *first
extra: {n: 1.5, list: [a, {b: true}], none: null, same: *first}
`))
	var got shelf
	if !f.Decode(&got) || f.Err() != nil {
		t.Fatal(f.Err())
	}
	want := shelf{Name: "x", Books: []book{{"one", 3}, {Title: "two"}, {"one", 3}}, Extra: map[string]any{
		"n": 1.5, "list": []any{"a", map[string]any{"b": true}}, "none": nil, "same": map[string]any{"title": "one", "pages": uint64(3)},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeFindsEverythingAtOnce(t *testing.T) {
	f := datafile.Open("a.yaml", []byte("nam: x\nbooks:\n  - [1]\n  - {title: [], pages: many}\nextra: 3\n"))
	var got shelf
	f.Decode(&got)
	want := strings.Join([]string{
		`a.yaml:1:1: nam: unknown key "nam"; did you mean "name"?`,
		`a.yaml:3:5: books[0]: a title, or a block of keys, belongs here, not a list`,
		`a.yaml:4:6: books[1].title: one value belongs here, not a list`,
		`a.yaml:4:17: books[1].pages: many is not a whole number`,
		`a.yaml:5:1: extra: a block of keys belongs here, not the value 3`,
	}, "\n")
	if diff := cmp.Diff(want, fmt.Sprint(f.Err())); diff != "" {
		t.Error(diff)
	}
}

func TestASmallFileCannotGrow(t *testing.T) {
	var b strings.Builder
	b.WriteString("extra:\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 20 {
		fmt.Fprintf(&b, "  a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	f := datafile.Open("a.yaml", []byte(b.String()))
	var got shelf
	var e *datafile.Error
	if f.Decode(&got) || !errors.As(f.Err(), &e) || !strings.Contains(e.Error(), "do not nest names") {
		t.Error(f.Err())
	}
}
