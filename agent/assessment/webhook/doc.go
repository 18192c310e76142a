// Package webhook tells the operator's program that a report is ready: a signed POST, tried again for about an hour and a
// quarter where it fails, and then given up: it stays in the store.
//
// Delivery is at least once: a receiver tells repetitions by the header Viva-Id. Nothing orders the deliveries of several
// interviews. They survive a restart, and of several workers one delivers.
//
// A Courier is safe for concurrent use. It has one goroutine, and at most four deliveries under way; Close waits for all.
package webhook
