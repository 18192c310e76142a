package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/vivavoice/viva/pipeline/turn/turneval"
)

// sounds writes the silences of all corpora.
func (t *tool) sounds(ctx context.Context) (err error) {
	if t.speech == "" || t.out == "" {
		return errors.New("say where the speech is and what to write: turneval sounds -speech FOLDER -out FILE")
	}
	file, err := os.Create(t.out)
	if err != nil {
		return fmt.Errorf("write silences: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	for i, corpus := range turneval.Corpora() {
		utterances, err := turneval.ReadUtterances(ctx, t.speech, t.cache, corpus)
		if err != nil {
			return err
		}
		ends, pauses, putIn := 0, 0, 0
		err = t.studio.Silences(ctx, t.vad, i, utterances, func(s turneval.Silence) error {
			switch {
			case s.Over:
				ends++
			case s.PutIn:
				putIn++
			default:
				pauses++
			}
			return turneval.WriteSilence(w, s)
		})
		if err != nil {
			return fmt.Errorf("hear %s: %w", corpus, err)
		}
		fmt.Printf("%d %s: %d utterances, %d ends, %d pauses, %d more put in\n", i, corpus, len(utterances), ends, pauses, putIn)
	}
	return w.Flush()
}
