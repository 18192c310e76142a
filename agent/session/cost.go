package session

import (
	"github.com/vivavoice/viva/pipeline/llm"
	"github.com/vivavoice/viva/stages/engine"
	"github.com/vivavoice/viva/stages/respond"
)

// charsPerToken is the usual estimate for English text, used where a provider reports no usage: it reports it with the end
// of a reply, which one that is cut off never reaches.
const charsPerToken = 4

// cost counts the tokens of the requests of one utterance, prompts included.
type cost struct {
	reported  int // tokens, by the provider
	estimated int // bytes of the request under way and its reply, until the provider reports them
	settled   int // bytes of the requests before
}

func (c *cost) asked(lines []engine.Line) {
	c.settled += c.estimated
	c.estimated = len(respond.Schema)
	for _, l := range lines {
		c.estimated += len(l.Text)
	}
}

func (c *cost) received(d llm.Delta) {
	c.estimated += len(d.Text)
	if d.Usage != nil {
		c.reported += d.Usage.PromptTokens + d.Usage.CompletionTokens
		c.estimated = 0
	}
}

func (c *cost) tokens() int {
	return c.reported + (c.settled+c.estimated+charsPerToken-1)/charsPerToken
}
