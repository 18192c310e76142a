// Package twostage judges an answer in two stages: was the problem taken apart well (construction: entities, state
// variables, actions, constraints), and does the reasoning arrive at the right conclusion. It judges written samples with
// a prediction and a ground truth, and spoken answers, whose framing and conclusion it finds by rules.
//
// Everything here is pure and deterministic: no clock, no goroutine, no network, no model. Evaluators may be shared
// between goroutines. Where a model is configured, Evaluator is an evaluate.Judge as well: the model then only finds
// quotes, and the same code scores them.
package twostage
