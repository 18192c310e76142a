package kinds_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/vivavoice/viva/prompts"
)

// RM-16: what personas and companies say praises no answer and claims no understanding either.
func TestNobodyPraisesUnheard(t *testing.T) {
	files := map[string]fs.FS{"personas": os.DirFS("persona/data"), "companies": os.DirFS("design/companies")}
	for name, fsys := range files {
		texts := 0
		err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".yaml") {
				return err
			}
			raw, err := fs.ReadFile(fsys, path)
			if err != nil {
				return err
			}
			var data any
			if err := yaml.Unmarshal(raw, &data); err != nil {
				return err
			}
			spoken(data, "", func(locale, text string) {
				texts++
				if phrase, err := prompts.Praises(locale, text); err != nil || phrase != "" {
					t.Errorf("%s %s: %q in %q (%v)", name, path, phrase, text, err)
				}
			})
			return nil
		})
		if err != nil || texts < 10 {
			t.Errorf("%s: %d texts, %v", name, texts, err)
		}
	}
}

// heardOnly are the keys of what is heard from a candidate, and not said.
var heardOnly = map[string]bool{
	"heard": true, "aliases": true, "clarify": true, "ready": true, "without": true, "correction": true, "numbers": true, "last": true, "any": true,
	"not": true, "keywords": true,
}

// spoken calls found with every text by language.
func spoken(data any, locale string, found func(locale, text string)) {
	switch x := data.(type) {
	case map[string]any:
		for key, value := range x {
			switch {
			case heardOnly[key]:
			case key == "en" || key == "zh" || key == "vi":
				spoken(value, key, found)
			default:
				spoken(value, locale, found)
			}
		}
	case []any:
		for _, value := range x {
			spoken(value, locale, found)
		}
	case string:
		if locale != "" {
			found(locale, x)
		}
	}
}
