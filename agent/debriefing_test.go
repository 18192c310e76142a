package agent

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vivavoice/viva/agent/debrief"
)

// R002-55: a page that missed the report gets it again when it asks or comes back, at most once a second, and nothing before
// there is one.
func TestReportIsHandedOutAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		h := &handout{send: func(topic, text string) error {
			sent = append(sent, topic+" "+text)
			return errors.New("the room was left") // nobody breaks by it
		}}
		h.again()
		if len(sent) != 0 {
			t.Fatalf("sent %v", sent)
		}
		if err := h.publish(debrief.Topic, []byte("{}")); err == nil {
			t.Error("the report was not sent, and nobody knows")
		}
		time.Sleep(time.Second)
		for range 5 {
			h.again()
		}
		time.Sleep(time.Second)
		h.again()
		if len(sent) != 3 || sent[2] != "viva.report {}" {
			t.Errorf("sent %v", sent)
		}
	})
}
