// Package golden guards what models are asked. Its tests hold short conversations with the shipped interviews (testdata/*.yaml:
// the candidate's words, a scripted model's answers, and what has to come of them) and keep every prompt, exactly as a model is
// asked it, beside them (testdata/*.golden). A prompt that changes fails with its difference; after a look at that
//
//	go test ./stages/kinds/golden -update
//
// takes the new one.
package golden
