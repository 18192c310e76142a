// Package design is what a system design interview needs besides its definition: the companies, which answer for it with a question,
// its sub-phases, and a judgement of them. A company is a file, with or without a service of its own behind HTTP; who answers is chosen
// by company and interview type.
//
// Local companies answer without network. A remote one is called with a limit of time and size, only at hosts that are
// listed, and whatever it answers is bounded before anybody sees it. A Factory may be shared between goroutines; the
// Provider that it returns belongs to one interview and to one goroutine at a time.
package design
