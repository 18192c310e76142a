// Package workertest is a LiveKit server as an agent worker sees it: an in-memory fake of the worker protocol, for tests
// of workers. It keeps the rules of the real server and can be told to break them; there are no rooms behind it.
//
// Rules it keeps: tokens are verified (401) and only WebSocket upgrades answered (404 otherwise); a worker must register
// within ten seconds, send nothing but pings before, and register once, or the connection ends without a close frame. A dispatch has three seconds in all, goes only to available workers whose load is
// under the target (0.7), asks each at most once, and is lost when one does not answer. Job updates of jobs that the
// connection does not own are ignored. Unlike the real server, which draws lots weighted by load, it asks workers in
// the order in which they registered.
//
// Connections made through [Server.Dial] are in memory and work inside testing/synctest bubbles, if the server was made
// in the bubble. A Server is also an http.Handler, to be put behind a real listener.
//
// All methods may be called concurrently. Close ends all goroutines and waits for them.
package workertest
