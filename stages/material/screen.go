package material

import (
	"context"
	_ "embed" // the patterns
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/vivavoice/viva/stages/datafile"
	"github.com/vivavoice/viva/stages/understand/prefilter"
)

//go:embed instructions.yaml
var instructionsFile []byte

// patterns are read once. TestThePatternsAreGood holds that they can be.
var patterns = sync.OnceValues(func() ([]prefilter.Pattern, error) {
	f := datafile.Open("instructions.yaml", instructionsFile)
	var file struct {
		Patterns []string `yaml:"patterns"`
	}
	f.Decode(&file)
	var out []prefilter.Pattern
	for i, expression := range file.Patterns {
		p, err := prefilter.New(expression)
		if err != nil {
			f.Add(fmt.Sprintf("patterns[%d]", i), "%v", err)
		}
		out = append(out, p)
	}
	return out, f.Err()
})

// Instructs reports whether a text holds words that speak to a machine: instructions to a model or a judge.
func Instructs(text string) bool {
	list, err := patterns()
	if err != nil {
		return true // nothing is trusted that cannot be tested
	}
	text = folded(text)
	letters := prefilter.Fold(text)
	return slices.ContainsFunc(list, func(p prefilter.Pattern) bool { return p.May(letters) && p.MatchString(text) })
}

// span is how many lines in a row an instruction may be broken into.
const span = 3

// rounds is how often a text is looked through. Taking something out may put together what was far apart; a text that still
// instructs after so many times was built for that, layer in layer, and is refused.
const rounds = 8

// screen leaves out the sentences that instruct, also where they are broken into lines, until there are none: what is left
// beside something that was left out may make a new one. It fails with ErrUnread for a text that has no end of them, and
// with the context's error.
func screen(ctx context.Context, text string) (rest string, removed bool, err error) {
	for range rounds {
		units := split(text)
		drop, err := suspects(ctx, units)
		if err != nil {
			return "", false, err
		}
		if !slices.Contains(drop, true) {
			return text, removed, nil
		}
		removed = true
		text = without(units, drop)
	}
	return "", true, ErrUnread
}

// without joins the units that stay. Of one that goes, the end of its line stays.
func without(units []string, drop []bool) string {
	var b strings.Builder
	for i, unit := range units {
		switch {
		case !drop[i]:
			b.WriteString(unit)
		case strings.HasSuffix(unit, "\n"):
			b.WriteByte('\n')
		}
	}
	return tidy(b.String())
}

// suspects tells which units instruct: by themselves, or with those that follow, in which case the rest of their sentence
// goes as well.
func suspects(ctx context.Context, units []string) ([]bool, error) {
	drop := make([]bool, len(units))
	for i, unit := range units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		drop[i] = Instructs(unit)
	}
	for n := 2; n <= span; n++ {
		for i := 0; i+n <= len(units); i++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if slices.Contains(drop[i:i+n], true) || !Instructs(strings.Join(units[i:i+n], " ")) {
				continue
			}
			for j := i; j < i+n; j++ {
				drop[j] = true
			}
		}
	}
	for i := 1; i < len(units); i++ {
		before := strings.TrimSpace(units[i-1])
		if drop[i-1] && !drop[i] && unfinished(before) && begins(units[i]) {
			drop[i] = true
		}
	}
	return drop, nil
}

// unfinished reports whether a unit ends within its sentence.
func unfinished(unit string) bool {
	last, _ := utf8.DecodeLastRuneInString(unit)
	return unit != "" && (unicode.IsLetter(last) || last == ',')
}

// begins reports whether a unit begins within a sentence.
func begins(unit string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(unit))
	return unicode.IsLower(first)
}

// split cuts a text into its lines and those into sentences; joined they are the text again.
func split(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		next := text[end:]
		stop := strings.ContainsRune(".!?", r) && (next == "" || next[0] == ' ')
		if r == '\n' || strings.ContainsRune("。！？", r) || stop {
			out, start = append(out, text[start:end]), end
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// lookalikes are Cyrillic and Greek letters that look like Latin ones, in pairs.
var lookalikes = strings.NewReplacer("а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i", "ѕ", "s", "ԁ", "d", "ο", "o", "ν", "v", "ɡ", "g")

// spaced is a word that is written letter by letter.
var spaced = regexp.MustCompile(`(?:\b[a-z0-9][ .\-_*]){4,}[a-z0-9]\b`)

// folded is a text as it is looked at: compatibility forms and lookalikes as plain letters, lower case, words that were
// spelt letter by letter put together.
func folded(text string) string {
	text = lookalikes.Replace(strings.ToLower(norm.NFKC.String(Visible(text))))
	text = strings.NewReplacer("’", "'", "‘", "'").Replace(text)
	text = spaced.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" .-_*", r) {
				return -1
			}
			return r
		}, s)
	})
	return strings.TrimSpace(strings.Join(strings.Fields(text), " "))
}
