package engine

// read takes what a model understood of the turn before its words, and what it did with them.
func (s *step) read(e Read) {
	s.fact("reading.ignored", field("utterance", e.Utterance))
}
