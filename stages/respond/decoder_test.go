package respond

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// whole decodes a reply in pieces of so many bytes.
func whole(text string, size int) (say string, reading json.RawMessage, err error) {
	var d Decoder
	var b strings.Builder
	for len(text) > 0 {
		n := min(size, len(text))
		b.WriteString(d.Push(text[:n]))
		text = text[n:]
	}
	rest, reading, err := d.Finish()
	return b.String() + rest, reading, err
}

const reading = `{"acts":[{"kind":"answer","about":"","quote":"a {map} \"here\" \\"}],"did":"ask"}`

func TestDecoder(t *testing.T) {
	for name, c := range map[string]struct {
		reply, say, reading string
		err                 error
	}{
		"strict":               {`{"say":"Hello there.","reading":` + reading + `}`, "Hello there.", reading, nil},
		"white space":          {"\n {\t\"say\" :\n \"Hello.\" ,\r\n \"reading\" : " + reading + " }\n ", "Hello.", reading, nil},
		"code fence":           {"```json\n{\"say\":\"Hello.\",\"reading\":" + reading + "}\n```", "Hello.", reading, nil},
		"byte order mark":      {"\uFEFF{\"say\":\"Hello.\",\"reading\":{}}", "Hello.", "{}", nil},
		"reading first":        {`{"reading":` + reading + `,"say":"Hello."}`, "Hello.", reading, nil},
		"more fields":          {`{"thought":["a",{"say":"no"}],"say":"Hello.","n":-1.5e3,"t":true,"reading":{},"z":null}`, "Hello.", "{}", nil},
		"fields twice":         {`{"say":"Hello.","say":" Again.","reading":{"did":"ask"},"reading":{"did":"end"}}`, "Hello.", `{"did":"ask"}`, nil},
		"escapes":              {`{"say":"a\"b\\c\/d\ne\tf\u00e9\u4F60","reading":{}}`, "a\"b\\c/d\ne fé你", "{}", nil},
		"surrogates":           {`{"say":"\ud83d\ude00 ok","reading":{}}`, "😀 ok", "{}", nil},
		"lone surrogates":      {`{"say":"\ud83d a\ud83d\n\ude00 b\ud83d","reading":{}}`, "\uFFFD a\uFFFD\n\uFFFD b\uFFFD", "{}", nil},
		"two first halves":     {`{"say":"\ud83d\ud83d\ude00","reading":{}}`, "\uFFFD😀", "{}", nil},
		"broken escapes":       {`{"say":"\q \u12","reading":{}}`, "q \uFFFD", "{}", nil},
		"escape in an escape":  {`{"say":"\u1\n.","reading":{}}`, "\uFFFD\n.", "{}", nil},
		"raw line break":       {"{\"say\":\"a\nb\",\"reading\":{}}", "a\nb", "{}", nil},
		"empty words":          {`{"say":"","reading":{}}`, "", "{}", nil},
		"say is no string":     {`{"say":null,"reading":{}}`, "", "{}", nil},
		"reading is no object": {`{"say":"Hello.","reading":"none"}`, "Hello.", "", ErrNoReading},
		"no reading":           {`{"say":"Hello."}`, "Hello.", "", ErrNoReading},
		"cut in the words":     {`{"say":"Hello th`, "Hello th", "", ErrCutOff},
		"cut in an escape":     {`{"say":"Hello \u00`, "Hello ", "", ErrCutOff},
		"cut in the reading":   {`{"say":"Hello.","reading":{"acts":[`, "Hello.", "", ErrCutOff},
		"only a brace is gone": {`{"say":"Hello.","reading":{}`, "Hello.", "{}", nil},
		"cut after the words":  {`{"say":"Hello.",`, "Hello.", "", ErrCutOff},
		"broken reading":       {`{"say":"Hello.","reading":{"acts":[}}`, "Hello.", "", ErrCutOff},
		"after the object":     {`{"say":"Hello.","reading":{}} and more {"say":"x"}`, "Hello.", "{}", nil},
		"words only":           {"Hello there.\nHow are you?", "Hello there.\nHow are you?", "", ErrNoReading},
		"delimiter":            {"Hello.\nYou?\n---\n" + reading, "Hello.\nYou?", reading, nil},
		"delimiter and fence":  {"Hello.\n-----\n```json\n" + reading + "\n```\n", "Hello.", reading, nil},
		"fence behind words":   {"Hello.\n```json\n" + reading + "\n```", "Hello.", reading, nil},
		"object behind words":  {"Hello. " + reading, "Hello. ", reading, nil},
		"whole behind words":   {`Sure: {"say":"Hello.","reading":{"did":"ask"}}`, "Sure: Hello.", `{"did":"ask"}`, nil},
		"cut behind words":     {"Hello.\n---\n{\"acts\":[", "Hello.\n"[:6], "", ErrCutOff},
		"a dash is no line":    {"Hello.\n- one\n-- two\n--- three", "Hello.\n- one\n-- two\n--- three", "", ErrNoReading},
		"a brace in words":     {"Write {a, b} for me.", "Write {a, b} for me.", "", ErrNoReading},
		"line, then words":     {"One.\n---\nTwo.", "One.Two.", "", ErrNoReading},
		"nothing":              {"", "", "", ErrNoReading},
		"white space alone":    {" \n ", "", "", ErrNoReading},
		"half a fence":         {"```js", "", "", ErrCutOff},
		"long reading": {
			`{"say":"Hello.","reading":{"a":"` + strings.Repeat("x", MaxReading) + `"}}`, "Hello.", "", ErrTooLong,
		},
		"long words": {`{"say":"` + strings.Repeat("é", MaxSay+7) + `","reading":{}}`, strings.Repeat("é", MaxSay), "{}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, len(c.reply) + 1} {
				say, reading, err := whole(c.reply, size)
				if say != c.say || string(reading) != c.reading || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
					t.Fatalf("pieces of %d bytes: say %q, reading %s, %v; want %q, %s, %v", size, say, reading, err, c.say, c.reading, c.err)
				}
			}
		})
	}
}

// RM-23: words come with their piece, and their end is known before the reading begins.
func TestDecoderDoesNotWait(t *testing.T) {
	var d Decoder
	for _, x := range []struct {
		piece, say string
		said       bool
	}{
		{`{"say":"Hel`, "Hel", false}, {`lo. \u`, "lo. ", false}, {"00e9 ", "é ", false}, {`now?"`, "now?", true}, {`,"reading":`, "", true},
	} {
		if say := d.Push(x.piece); say != x.say || d.Said() != x.said {
			t.Errorf("%q gives %q, over: %v", x.piece, say, d.Said())
		}
	}
}

func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{
		`{"say":"Hello \ud83d\ude00.","reading":` + reading + `}`, "```json\n{\"say\":\"a\\n\"}\n```", "Hello.\n---\n" + reading, `{"say":"\u12","reading":[1]}`,
		"a {b} c", "{\"reading\":{},\"say\":1}", "\n--\n---\n\n{", "`", "\uFEFF{",
	} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		say, reading, err := whole(text, max(1, size))
		one, same, why := whole(text, 1)
		if say != one || string(reading) != string(same) || !errors.Is(err, why) {
			t.Fatalf("by the byte %q %s %v, in pieces of %d %q %s %v", one, same, why, size, say, reading, err)
		}
		if n := utf8.RuneCountInString(say); n > MaxSay && utf8.ValidString(text) {
			t.Fatalf("%d characters", n)
		}
		if utf8.ValidString(text) && !utf8.ValidString(say) {
			t.Fatalf("broken characters in %q", say)
		}
		if (reading == nil) != (err != nil) {
			t.Fatalf("%s, %v", reading, err)
		}
		if reading != nil && (!json.Valid(reading) || reading[0] != '{' || len(reading) > 3*MaxReading) {
			t.Fatalf("reading %q", reading)
		}
	})
}

func BenchmarkDecoder(b *testing.B) {
	reply := `{"say":"` + strings.Repeat("How would you find out which of them it is? ", 10) + `","reading":` + reading + `}`
	b.ReportAllocs()
	for b.Loop() {
		var d Decoder
		for i := 0; i < len(reply); i += 5 {
			d.Push(reply[i:min(len(reply), i+5)])
		}
		if _, reading, err := d.Finish(); err != nil || reading == nil {
			b.Fatal(err)
		}
	}
}

// A piece costs its own text, and nothing more.
func TestDecoderAllocatesTextOnly(t *testing.T) {
	var d Decoder
	d.Push(`{"say":"` + strings.Repeat("x", 64))
	if n := testing.AllocsPerRun(100, func() { d.Push("twenty characters ok") }); n > 1 {
		t.Errorf("%v allocations a piece", n)
	}
}
