package respond

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of a reply. What lies beyond them is read and forgotten.
const (
	MaxSay     = 4000     // characters
	MaxReading = 16 << 10 // bytes
)

// Why a reply has no reading. Its words count all the same.
var (
	ErrNoReading = errors.New("the reply has no reading")
	ErrCutOff    = errors.New("the reply was cut off")
	ErrTooLong   = errors.New("the reading is too long")
)

// Decoder reads a reply while it is written: the words of its field say as they come, and its field reading at the end. A server
// that cannot be held to Schema may put a code fence around the object, its fields in another order, or words first and the reading
// behind them, after a line of dashes or not. The zero value is ready; it is for one reply, and not safe for concurrent use.
type Decoder struct {
	mode  mode
	head  []byte // of a reply that may yet begin with an object
	out   []byte // words of the piece under way
	runes int    // characters of the words so far
	drop  bool   // the character under way is beyond MaxSay
	said  bool   // the field say is over
	text  text
	value value
	key   []byte // of the field under way
	raw   []byte // of the field reading, or what stands behind words
	long  bool   // raw is not all of it
	full  bool   // raw is all of the field reading
	held  []byte // of words: what may be the line before the reading
	prior int    // of held: bytes that are not of the reply
}

// mode is where in a reply the decoder is.
type mode uint8

const (
	atStart   mode = iota
	atKey          // in an object, before a field's name or the object's end
	inKey          // in a field's name
	atColon        // behind it
	atValue        // before its value
	inSay          // in the string of say
	inReading      // in the value of reading
	inOther        // in any other value
	atComma        // behind a value
	behind         // behind the object
	inWords        // in words without an object
	inTail         // behind them, in what may be the reading
)

// Push takes the next piece of a reply and returns the words that it adds. A character may come in two pieces.
func (d *Decoder) Push(piece string) (say string) {
	d.out = d.out[:0]
	for i := range len(piece) {
		d.step(piece[i])
	}
	return string(d.out)
}

// Said reports whether all words have come: once the field say is over, or Finish found that no more of it is missing.
func (d *Decoder) Said() bool { return d.said }

// Finish ends the reply. It returns the words that were held back, and the reading as it came: a valid object. Where there is none,
// err says why; all that Push returned stands.
func (d *Decoder) Finish() (rest string, reading json.RawMessage, err error) {
	d.out = d.out[:0]
	d.said = d.said || d.mode == atStart || d.mode >= behind
	switch d.mode {
	case atStart:
		if fenced(d.head) {
			return "", nil, ErrCutOff
		}
		d.words(bytes.TrimSpace(d.head))
		return string(d.out), nil, ErrNoReading
	case inWords:
		d.words(d.held[d.prior:])
		return string(d.out), nil, ErrNoReading
	case inTail:
		reading, err = d.tail()
		return string(d.out), reading, err
	}
	return "", d.reading(), d.wrong()
}

// reading is the field of that name; nil where there is none to use.
func (d *Decoder) reading() json.RawMessage {
	if d.wrong() != nil {
		return nil
	}
	return bytes.ToValidUTF8(d.raw, []byte("\uFFFD"))
}

// wrong says why an object holds no reading to use.
func (d *Decoder) wrong() error {
	switch {
	case d.long:
		return ErrTooLong
	case d.full && object(d.raw):
		return nil
	case d.mode != behind:
		return ErrCutOff
	}
	return ErrNoReading
}

// tail is the reading that stands behind words: by itself, or as the field of an object. What is none are words; a piece of one is
// not.
func (d *Decoder) tail() (json.RawMessage, error) {
	raw := unfenced(d.raw)
	switch {
	case d.long:
		return nil, ErrTooLong
	case object(raw):
		var whole struct {
			Say     string          `json:"say"`
			Reading json.RawMessage `json:"reading"`
		}
		if json.Unmarshal(raw, &whole) == nil && whole.Reading != nil {
			d.words([]byte(whole.Say))
			raw = whole.Reading
		}
		if !object(raw) {
			return nil, ErrNoReading
		}
		return bytes.ToValidUTF8(raw, []byte("\uFFFD")), nil
	case len(raw) == 0 || cutOff(raw):
		return nil, ErrCutOff
	}
	d.words(raw)
	return nil, ErrNoReading
}

// cutOff reports whether a text is the beginning of an object.
func cutOff(raw []byte) bool {
	inner, is := bytes.CutPrefix(raw, []byte("{"))
	inner = bytes.TrimSpace(inner)
	return is && (len(inner) == 0 || inner[0] == '"')
}

func object(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{' && json.Valid(raw)
}

// step takes one byte.
func (d *Decoder) step(b byte) {
	switch d.mode {
	case atStart:
		d.begin(b)
	case inWords:
		d.wordsOrTail(b)
	case inTail:
		d.keep(b)
	case behind:
	default:
		d.field(b)
	}
}

// maxHead bounds what stands before an object.
const maxHead = 64

// begin decides what the reply is: an object, perhaps behind a code fence, or words.
func (d *Decoder) begin(b byte) {
	d.head = append(d.head, b)
	head := bytes.TrimLeft(bytes.TrimPrefix(d.head, []byte("\uFEFF")), " \t\r\n")
	switch {
	case b == '{' && (len(head) == 1 || fenced(head[:len(head)-1])):
		d.mode = atKey
	case len(d.head) < maxHead && (len(head) == 0 || fenced(head) || strings.HasPrefix("\uFEFF", string(d.head))): //nolint:gocritic // the head may be a piece of the mark
	default:
		d.mode, d.held, d.prior = inWords, append(d.held, '\n'), 1
		for _, b := range head {
			d.step(b)
		}
	}
}

// fenced reports whether a text is the beginning of a code fence, or all of it: backticks, a language, white space.
func fenced(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	ticks := len(head) - len(bytes.TrimLeft(head, "`"))
	rest := bytes.TrimRight(head[ticks:], " \t\r\n")
	language := len(rest) == 0 || ticks == 3
	for _, b := range rest {
		language = language && ('a' <= b|0x20 && b|0x20 <= 'z')
	}
	return len(head) > 0 && ticks > 0 && ticks <= 3 && language
}

// unfenced is a text without a code fence around it.
func unfenced(raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	if inner, is := bytes.CutPrefix(raw, []byte("```")); is {
		inner = bytes.TrimLeft(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		raw = bytes.TrimSpace(inner)
	}
	return bytes.TrimSpace(bytes.TrimSuffix(raw, []byte("```")))
}

// field takes one byte of an object.
func (d *Decoder) field(b byte) {
	switch d.mode {
	case atKey, inKey, atColon, atComma:
		d.between(b)
	case atValue:
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			d.enter(b)
		}
	case inSay:
		if d.text.step(d, b) {
			d.mode, d.said = atComma, true
		}
	case inReading, inOther:
		d.inValue(b)
	}
}

// between takes one byte of an object that is not of a value: of a key, or of what stands around it.
func (d *Decoder) between(b byte) {
	switch {
	case d.mode == inKey && b == '"':
		d.mode = atColon
	case d.mode == inKey:
		if len(d.key) < maxHead {
			d.key = append(d.key, b)
		}
	case d.mode == atColon && b == ':':
		d.mode = atValue
	case d.mode == atKey && b == '"':
		d.mode, d.key = inKey, d.key[:0]
	case d.mode == atComma && b == ',':
		d.mode = atKey
	case d.mode != atColon && b == '}':
		d.mode = behind
	}
}

// enter takes the first byte of a field's value. A field counts once.
func (d *Decoder) enter(b byte) {
	d.value = value{}
	switch {
	case b == '"' && !d.said && string(d.key) == FieldSay:
		d.mode = inSay
		return
	case !d.full && string(d.key) == FieldReading:
		d.mode = inReading
	default:
		d.mode = inOther
	}
	d.inValue(b)
}

func (d *Decoder) inValue(b byte) {
	over, part := d.value.step(b)
	if part && d.mode == inReading {
		d.keep(b)
	}
	if !over {
		return
	}
	d.full = d.full || d.mode == inReading
	d.mode = atComma
	if !part {
		d.field(b)
	}
}

func (d *Decoder) keep(b byte) {
	if d.long = d.long || len(d.raw) == MaxReading; !d.long {
		d.raw = append(d.raw, b)
	}
}

// wordsOrTail takes one byte of words. A line of dashes, a code fence and a brace may begin the reading.
func (d *Decoder) wordsOrTail(b byte) {
	if b == '{' {
		if line := bytes.TrimSpace(d.held); len(line) < 3 || !only(line, '-') {
			d.words(d.held[min(d.prior, len(d.held)):])
		}
		d.mode, d.held = inTail, nil
		d.keep(b)
		return
	}
	if len(d.held) == 0 {
		if b == '\n' {
			d.held = append(d.held, b)
		} else {
			d.word(b)
		}
		return
	}
	d.held = append(d.held, b)
	line := bytes.TrimSpace(d.held)
	switch {
	case b == '\n' && len(line) >= 3 && only(line, '-'):
		d.mode, d.held = inTail, nil
	case string(line) == "```":
		d.mode, d.held = inTail, nil
		for _, b := range line {
			d.keep(b)
		}
	case len(d.held) < maxHead && (only(line, '-') || only(line, '`')):
	default:
		d.words(d.held[d.prior:])
		d.held, d.prior = d.held[:0], 0
		if b == '\n' { // it may begin the line
			d.held = append(d.held, '\n')
			d.prior = 1
		}
	}
}

func only(line []byte, b byte) bool { return len(bytes.TrimLeft(line, string(b))) == 0 }

func (d *Decoder) words(text []byte) {
	for _, b := range text {
		d.word(b)
	}
}

// word adds one byte to the words, as far as they are not too many.
func (d *Decoder) word(b byte) {
	if b&0xC0 != 0x80 {
		d.runes++
		d.drop = d.runes > MaxSay
	}
	if !d.drop {
		d.out = append(d.out, b)
	}
}

func (d *Decoder) char(r rune) {
	var b [utf8.UTFMax]byte
	d.words(b[:utf8.EncodeRune(b[:], r)])
}

// text decodes a JSON string, byte by byte.
type text struct {
	escaped bool
	left    int  // hexadecimal digits of a \u to come
	unit    rune // their value so far
	high    rune // the first half of a character that two of them make
}

// step takes one byte; it reports the end of the string.
func (t *text) step(d *Decoder, b byte) (over bool) {
	switch {
	case t.left > 0 && b != '"':
		t.hex(d, b)
	case t.left > 0:
		t.left = 0
		t.lone(d)
		d.char(utf8.RuneError)
		return true
	case t.escaped:
		t.escape(d, b)
	case b == '\\':
		t.escaped = true
	case b == '"':
		t.lone(d)
		return true
	default:
		t.lone(d)
		d.word(b)
	}
	return false
}

// lone replaces a first half whose second does not come.
func (t *text) lone(d *Decoder) {
	if t.high != 0 {
		d.char(utf8.RuneError)
		t.high = 0
	}
}

func (t *text) escape(d *Decoder, b byte) {
	t.escaped = false
	if b == 'u' {
		t.left, t.unit = 4, 0
		return
	}
	t.lone(d)
	switch b {
	case 'n', 'r':
		d.word('\n')
	case 't', 'b', 'f':
		d.word(' ')
	default: // a quote, a slash, or what needs none
		d.word(b)
	}
}

func (t *text) hex(d *Decoder, b byte) {
	var digit rune
	switch {
	case '0' <= b && b <= '9':
		digit = rune(b - '0')
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		digit = rune(b|0x20-'a') + 10
	default: // no escape after all
		t.left = 0
		t.lone(d)
		d.char(utf8.RuneError)
		t.escaped = b == '\\'
		return
	}
	t.unit = t.unit<<4 | digit
	if t.left--; t.left > 0 {
		return
	}
	switch r := utf16.DecodeRune(t.high, t.unit); {
	case t.high != 0 && r != utf8.RuneError:
		t.high = 0
		d.char(r)
	case 0xD800 <= t.unit && t.unit < 0xDC00:
		t.lone(d)
		t.high = t.unit
	default:
		t.lone(d)
		d.char(t.unit) // the second half of a character alone is replaced
	}
}
