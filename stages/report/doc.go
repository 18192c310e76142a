// Package report makes the report of one interview from what is known when it ends, and writes it as JSON, Markdown, HTML
// and as a spoken summary. It computes every mean, band and choice itself: a judge gives only levels and quotes.
//
// Build is pure and deterministic: the same source gives the same bytes. What could not be assessed has a reason in place
// of a score, and is in no mean. A Report is plain data; everything here may be used by several goroutines at once as long
// as none of them changes it.
package report
