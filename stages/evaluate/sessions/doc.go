// Package sessions makes tables of answers out of the journals of interviews, for package batch to judge: one row for each
// answer that has a right one, with what the rules found in it.
//
// A Table belongs to one goroutine.
package sessions
