package report

import (
	"slices"
	"time"
)

// DefaultWait is how long a finished interview waits for evaluations that are still out (acceptance R002-48).
const DefaultWait = 30 * time.Second

// Join decides when a report is built: once, when the interview is finished and nothing is out any more, or when the wait
// is over. It is plain data, so that it can be part of a session's state and survive a restart with it. One goroutine
// owns it.
type Join struct {
	Out      []string `json:"out,omitempty"` // items that were sent to be judged and have no result
	Finished bool     `json:"finished,omitempty"`
	Until    Millis   `json:"until,omitempty"` // when the wait is over; meaningful once Finished
	Built    bool     `json:"built,omitempty"` // the report was asked for: nothing is taken any more
}

// Expect notes that an item was sent to be judged. It is false, and nothing is to be sent, once the report was asked for
// (R002-60).
func (j *Join) Expect(item string) bool {
	if j.Built {
		return false
	}
	j.Out = add(j.Out, item)
	return true
}

// Arrived notes a result, or that there will be none. The first value says whether the result is to be kept: that of an
// unknown or settled item, or one that comes after the report, is not (R002-44, R002-60). The second one says that the
// report is to be built now.
func (j *Join) Arrived(item string) (keep, build bool) {
	i := slices.Index(j.Out, item)
	if j.Built || i < 0 {
		return false, false
	}
	j.Out = slices.Delete(slices.Clone(j.Out), i, i+1)
	return true, j.ready()
}

// Finish notes that the last answer was given, and says whether the report is to be built now. If not, Due has to be asked
// at Until.
func (j *Join) Finish(now Millis, wait time.Duration) bool {
	if j.Finished {
		return false
	}
	j.Finished, j.Until = true, now+Millis(wait.Milliseconds())
	return j.ready()
}

// Due says whether the report is to be built at this time although something is still out.
func (j *Join) Due(now Millis) bool {
	if !j.Finished || j.Built || now < j.Until {
		return false
	}
	j.Built = true
	return true
}

// ready is true once: whoever gets it builds the report.
func (j *Join) ready() bool {
	if !j.Finished || j.Built || len(j.Out) > 0 {
		return false
	}
	j.Built = true
	return true
}
