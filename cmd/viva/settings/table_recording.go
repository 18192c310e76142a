package settings

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Recording says where the sound of interviews is kept, and for how long.
type Recording struct {
	Dir       string        // "" keeps none
	Retention time.Duration // after the end of the interview; 0 = until it is purged by hand
}

var recordingTable = []Definition{
	{Key: "recording.dir", Env: []string{"VIVA_RECORDING_DIR"}, Flag: "recording-dir", DefaultNote: "sessions: `viva-data/recordings`",
		DefaultFor: map[Command]string{CommandDev: "viva-data/recordings", CommandSessions: "viva-data/recordings"},
		Used:       []Command{CommandDev, CommandStart, CommandSessions},
		Help: "folder for the sound of interviews, kept only with the candidate's consent and where the definition has recording; empty keeps " +
			"none. Workers that share a database share the folder",
		bind: func(s *Settings) any { return &s.Recording.Dir }},
	{Key: "recording.retention", Env: []string{"VIVA_RECORDING_RETENTION"}, Flag: "recording-retention", Default: "0s", Used: onWorker,
		Help:  "how long after an interview its sound is deleted by the worker, such as 30d; 0s leaves that to `viva sessions purge`",
		check: notNegative, bind: func(s *Settings) any { return &s.Recording.Retention }},
}

// recordingProblems: sound that no database knows could not be found to be deleted.
func (s *Settings) recordingProblems() Problems {
	if s.Recording.Dir == "" || s.Store.Database() || !s.found["recording.dir"].given {
		return nil
	}
	return s.problem("recording.dir", "is set, but store.url is no database, so that nobody would know which recording to delete",
		"set VIVA_STORE_URL to a database, or leave recording.dir empty")
}

// units are those of time.ParseDuration and two longer ones.
var units = map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// ParseDuration reads a duration as time.ParseDuration does, and whole days and weeks besides: 30d, 2w, 1d12h.
func ParseDuration(text string) (time.Duration, error) {
	rest, total := text, time.Duration(0)
	for {
		i := strings.IndexAny(rest, "dw")
		if i <= 0 {
			break
		}
		n, err := strconv.ParseUint(rest[:i], 10, 16)
		if err != nil {
			return 0, fmt.Errorf("%q is no duration", text)
		}
		total += time.Duration(n) * units[rest[i]]
		if rest = rest[i+1:]; rest == "" {
			return total, nil
		}
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 && total > 0 {
		return 0, fmt.Errorf("%q is no duration", text)
	}
	return total + d, nil
}
