// Package web serves the candidate's page and hands out the tokens it joins a room with. Each token opens a room of its
// own and dispatches the interviewer there.
//
// # Routes
//
//	GET  /               the page; ?autostart=1&interview=…&name=…&typing=1 fills the form and presses Start
//	GET  /static/…       its scripts and styles, embedded in the binary
//	GET  /api/interviews what can be chosen
//	POST /api/token      a room, an identity and a token for one candidate
//
// # Push to talk
//
// Where the interviewer's attribute viva.turn is "manual", the page shows a button to hold while talking, and tells the
// interviewer by reliable data packets of topic viva.turn: {"type":"press"} when it goes down and {"type":"release"} when it
// goes up, in turn, beginning with a press. The microphone stays published all the time.
//
// # Who is served
//
// The page itself is public. /api answers only loopback clients that address the host by a loopback name, so that neither
// the network nor a web site that points its own name at 127.0.0.1 can obtain tokens; Options.OpenTokens lifts that.
// Tokens are rate limited per client address either way. There is no CORS: only the page's own origin can call.
//
// # Concurrency
//
// A Handler is safe for concurrent use, starts no goroutine and needs no closing. The http.Server around it should set
// its own header and idle timeouts.
//
// The LiveKit client library is third-party and not in the repository: vendor.sh fetches it by version and checksum into
// static/vendor before the build. Without it everything works but the page, which then says so.
package web
