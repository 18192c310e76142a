package session

// WordsOnly has rules make the moves, which a model only words, as in interviews that were begun before a model could lead.
func (s *Session) WordsOnly() { s.o.Start.Lead = false }
