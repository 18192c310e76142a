// Package evaluator judges items as a service of its own, so that a fleet can scale judging apart from talking: Local judges
// in this process, Service puts it behind HTTP, and Client asks such a service. Local.Judge and Client.Judge have the same
// form; whoever needs judgements need not know which of the two it has. Who stands in for a service that is away is the
// caller's choice: Client says at once that it is.
//
// The interface is POST /v1/judge with a Request in JSON and a bearer key; the answer is an evaluate.Evaluation, or an error
// with a kind. GET /healthz and GET /metrics need no key. What a service answers is checked, and brought back to its scale,
// before anybody sees it; quotes that nobody said are dropped.
//
// Concurrency: all three are safe for concurrent use. Local and Client start no goroutine. Service judges in the goroutines
// of its HTTP server, at most Options.Calls at a time; more are refused with 429. Serve waits for all of them.
package evaluator
