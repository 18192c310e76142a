package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pasteMarks has the terminal that in is, if it is one, mark what is pasted; typed reports whether it is. The marks are not to be seen:
// control characters are not echoed as letters meanwhile. undo puts the terminal back as it was.
func pasteMarks(in io.Reader, out io.Writer) (typed bool, undo func()) {
	none := func() {}
	file, is := in.(*os.File)
	if !is {
		return false, none
	}
	fd := int(file.Fd())
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return false, none
	}
	now := *was
	now.Lflag &^= unix.ECHOCTL
	if err := unix.IoctlSetTermios(fd, setTermios, &now); err != nil {
		return true, none // lines that arrive together are one turn still
	}
	if _, err := io.WriteString(out, marksOn); err != nil {
		return true, none // a closed terminal ends the input as well
	}
	return true, func() {
		_, _ = io.WriteString(out, marksOff)          // at the end of the program
		_ = unix.IoctlSetTermios(fd, setTermios, was) // the terminal may be closed
	}
}
