package evaluate

import (
	"os"
	"testing"

	"github.com/goccy/go-yaml"
)

// Every pattern has an attack that it alone may be there for, and the words that are looked for first hide none of them.
func TestEveryPatternHasAnAttack(t *testing.T) {
	text, err := os.ReadFile("testdata/attacks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Attacks []string `yaml:"attacks"`
	}
	if err := yaml.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	d := shipped()
	for _, re := range d.instructs {
		found := false
		for _, attack := range f.Attacks {
			for _, s := range Sentences(attack) {
				found = found || re.MatchString(s) && d.suspicious(attack)
			}
		}
		if !found {
			t.Errorf("no attack for %s", re)
		}
	}
}
