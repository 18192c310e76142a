package cassette

import "github.com/vivavoice/viva/pipeline/llm"

type Mode int

const (
	Record Mode = iota
	Replay
	Refresh
)

type Miss struct{}

func (*Miss) Error() string { return "" }

type Cassette struct{}

func Open(string, Mode) (*Cassette, error)                        { return &Cassette{}, nil }
func (c *Cassette) Model(role string, behind llm.Model) llm.Model { return behind }
func (c *Cassette) Close() (int, error)                           { return 0, nil }
