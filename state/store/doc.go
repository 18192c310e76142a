// Package store keeps interviews in a database: sessions, their journals, evaluations, reports, the index of recordings
// and the deliveries of webhooks. It is SQLite in a file by default and PostgreSQL by URL, with one schema for both.
//
// Ordering: the entries of a journal are kept in the order of their numbers, without a gap. Append returns when its entry
// is committed, so an event is in the journal before anything acts on it, unless the database is away: then entries wait in memory, for
// ten minutes and two megabytes a session at most. One goroutine, the scribe, writes the entries of all sessions: those that arrive while
// it is busy go into its next statement together. Nothing else is buffered.
//
// Durability: what was acknowledged survives the death of the process. SQLite runs with synchronous=FULL, so that it survives
// a power cut, too; PostgreSQL does as its synchronous_commit says.
//
// A Store is safe for concurrent use. Every call has a context and, besides, a limit of its own. Open starts the scribe,
// Close waits for it.
package store
