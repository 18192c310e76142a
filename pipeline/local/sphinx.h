#ifndef VIVA_SPHINX_H
#define VIVA_SPHINX_H

#include <pocketsphinx.h>

// viva_sphinx_quiet turns the library's own log off, for the whole process.
void viva_sphinx_quiet(void);

// viva_sphinx_new loads the models, or returns NULL.
ps_decoder_t *viva_sphinx_new(const char *hmm, const char *lm, const char *dict);

// viva_sphinx_confidence is the mean posterior probability of the words of the last utterance, 0 if there are none. The
// utterance must have ended.
double viva_sphinx_confidence(ps_decoder_t *ps);

#endif
