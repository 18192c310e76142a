// Package devserver runs a LiveKit server inside this process, for `viva dev` and for end-to-end tests. It is the only
// package that links livekit-server; production binaries leave it out with a build tag at the command.
//
// # Reach
//
// Signalling and UDP media listen on 127.0.0.1 only, and only loopback candidates are offered to clients. One exception
// is livekit-server's: its listener for ICE over TCP has no bind address and accepts on every interface (it still wants a
// token's ICE credentials). Leave Options.TCPPort at 0 where that matters; loopback clients do not need TCP.
//
// Requests with an Origin or a Host that is not of this machine are turned away, so that a web page elsewhere cannot use the
// person's browser to reach the server.
//
// # Lifetime
//
// Start returns when the server answers. Close looks to clients as if the server process had died: sockets are cut, no
// farewell is sent. A server may then be started again, on the same ports too, so tests can restart it under a running
// worker. Rooms live in memory and do not survive. Two servers may run side by side on different ports.
//
// livekit-server registers its metrics and its logger once per process; the first Start decides the logger for both. A
// stopped server leaves some goroutines behind (caches, room timers, its message bus), a known trait of livekit-server,
// so packages whose tests use devserver cannot assert the absence of leaks.
package devserver
