// Package web serves the candidate's page and hands out the tokens it joins a room with. Each token opens a room of its
// own and dispatches the interviewer there, for one interview that begins within Options.StartWithin.
//
// # Routes
//
//	GET  /               the page; ?interview=…&locale=…&name=…&typing=1 fills the form, and so does the name of a var, as in
//	                     ?company=…; only a person presses Start, for a link may be anybody's
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
// # Who interviews, and documents
//
// Where the interviewer's attribute viva.personas is "on", the page shows a menu of interviewers, which comes as a data packet of
// topic viva.personas, [{"id":…,"name":…}], and tells the choice by a reliable packet of topic viva.persona, {"id":…}; an empty packet
// on viva.personas asks for a menu that was missed. Where viva.materials is "on", it offers to hand in a résumé and a job
// description: byte streams of topic viva.material with the attribute kind, answered by a packet on the same topic.
//
// # Code
//
// Where the interviewer's attribute viva.code is "on", the page shows the task and an editor. The task comes as a data packet
// of topic viva.problem, {"id":…,"title":…,"text":…,"difficulty":…}, where text is plain text; the newest counts, and a page
// that missed it asks for it by an empty packet. What the candidate writes goes to the interviewer whole, as reliable packets
// of topic viva.code, {"text":…,"language":…}: 400 ms after the last key, every 2 s while keys go on, before a typed message,
// and again after a reconnect or to another interviewer. What would be longer than 12 KiB is not sent, and the page says so.
// A reload does not lose it.
//
// A stage that is held as several topics has the attributes viva.phase, "2/5", and viva.item, the topic's name.
//
// # Languages
//
// The page is in the language of the interview, if that is English or Chinese, and in English otherwise.
//
// # Who is served
//
// The page itself is public. /api answers nobody until Options say whom: with LocalTokens loopback clients that address the
// host by a loopback name, so that neither the network nor a web site that points its own name at 127.0.0.1 can obtain tokens;
// with OpenTokens whoever comes. A proxy on this machine that leaves no mark on requests makes all of its clients look local:
// LocalTokens is for machines without one. Tokens are rate limited per client address either way; behind TrustedProxies that is
// the address which they name. There is no CORS: only the page's own origin can call.
//
// # Concurrency
//
// A Handler is safe for concurrent use, starts no goroutine and needs no closing. The http.Server around it should set
// its own header and idle timeouts.
//
// The LiveKit client library is third-party and not in the repository: vendor.sh fetches it by version and checksum into
// static/vendor before the build. Without it everything works but the page, which then says so.
package web
