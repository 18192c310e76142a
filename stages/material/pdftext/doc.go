// Package pdftext gets the text out of a PDF that a stranger has made: what a reader would see of it, in the order in
// which it was written, and nothing else. Text that is invisible, of the colour of what is behind it, tiny or off the page
// is left out, and said to be there.
//
// The library below it stops at broken files by panics, and a file can still make it take all memory. So Extract is for a
// process of its own: Serve is what that process runs, with limits on memory and time (see material.Process).
//
// It is built with the tag pdf only.
package pdftext
