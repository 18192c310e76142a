package batch

import (
	"strconv"
	"strings"
)

// Cell is a text as a field of a table in CSV. Spreadsheets take what begins with = + - @ or white space for a formula, which can
// fetch addresses and run programs: candidates' words are written with an apostrophe before them, which says that it is text.
// Numbers stay as they are.
func Cell(text string) string {
	if formula(text) {
		return "'" + text
	}
	return text
}

// Text is the text of a field that Cell has written, or that needed no writing.
func Text(cell string) string {
	if text, found := strings.CutPrefix(cell, "'"); found && formula(text) {
		return text
	}
	return cell
}

// formula reports whether a spreadsheet might work the text out. Texts that look like what Cell writes count, so that Text gives
// every text back.
func formula(text string) bool {
	text = strings.TrimLeft(text, "'")
	if text == "" || !strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return false
	}
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}
