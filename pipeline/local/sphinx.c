//go:build cgo

#include "sphinx.h"

#include <sphinxbase/err.h>

void viva_sphinx_quiet(void) {
    err_set_logfp(NULL);
}

ps_decoder_t *viva_sphinx_new(const char *hmm, const char *lm, const char *dict) {
    cmd_ln_t *config = cmd_ln_init(NULL, ps_args(), TRUE, "-hmm", hmm, "-lm", lm, "-dict", dict, NULL);
    if (config == NULL) {
        return NULL;
    }
    ps_decoder_t *ps = ps_init(config);
    cmd_ln_free_r(config);
    return ps;
}

double viva_sphinx_confidence(ps_decoder_t *ps) {
    double sum = 0;
    int words = 0;
    for (ps_seg_t *seg = ps_seg_iter(ps); seg != NULL; seg = ps_seg_next(seg)) {
        const char *word = ps_seg_word(seg);
        int32 probability = ps_seg_prob(seg, NULL, NULL, NULL);
        if (word[0] != '<' && word[0] != '[' && word[0] != '+') { // not silence or noise
            sum += logmath_exp(ps_get_logmath(ps), probability);
            words++;
        }
    }
    return words == 0 ? 0 : sum / words;
}
