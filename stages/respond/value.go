package respond

// value finds the end of a JSON value of any kind.
type value struct {
	depth   int
	quoted  bool
	escaped bool
	begun   bool
}

// step takes one byte: whether the value is over, and whether the byte is part of it.
func (v *value) step(b byte) (over, part bool) {
	first := !v.begun
	v.begun = true
	if v.quoted {
		return v.inString(b), true
	}
	ends := b == ',' || b == '}' || b == ']'
	switch {
	case b == '"':
		v.quoted = true
	case b == '{' || b == '[':
		v.depth++
	case first && ends, v.depth == 0 && !first && (ends || b <= ' '):
		return true, false
	case b == '}' || b == ']':
		v.depth--
		return v.depth == 0, true
	}
	return false, true
}

// inString takes one byte of a string: whether the value is over with it.
func (v *value) inString(b byte) bool {
	switch {
	case v.escaped:
		v.escaped = false
	case b == '\\':
		v.escaped = true
	case b == '"':
		v.quoted = false
		return v.depth == 0
	}
	return false
}
