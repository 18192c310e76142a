//go:build cgo

#include "flite.h"

#include <flite/flite.h>

#include "_cgo_export.h"

cst_voice *register_cmu_us_slt(const char *voxdir);
cst_voice *register_cmu_us_rms(const char *voxdir);
cst_voice *register_cmu_us_awb(const char *voxdir);
cst_voice *register_cmu_us_kal16(const char *voxdir);

// The order is that of Voices in Go.
static cst_voice *(*const registrars[])(const char *) = {
    register_cmu_us_slt,
    register_cmu_us_rms,
    register_cmu_us_awb,
    register_cmu_us_kal16,
};

enum { VOICES = sizeof registrars / sizeof registrars[0] };

// Flite asks for at least this many samples between two callbacks (50 ms).
enum { CHUNK = 800 };

static struct {
    cst_voice *voice;
    float stretch; // the voice's own duration_stretch
} voices[VOICES];

struct request {
    uintptr_t handle;
    int stopped;
};

static int on_chunk(const cst_wave *w, int start, int size, int last, cst_audio_streaming_info *asi) {
    (void)last;
    struct request *r = asi->userdata;
    if (size > 0 && !vivaFliteChunk(r->handle, w->samples + start, size)) {
        r->stopped = 1;
        return CST_AUDIO_STREAM_STOP;
    }
    return CST_AUDIO_STREAM_CONT;
}

static int load(int i) {
    static int ready;
    if (i < 0 || i >= VOICES) {
        return -1;
    }
    if (!ready) {
        flite_init();
        ready = 1;
    }
    if (voices[i].voice == NULL) {
        voices[i].voice = registrars[i](NULL);
        if (voices[i].voice == NULL) {
            return -1;
        }
        voices[i].stretch = flite_get_param_float(voices[i].voice->features, "duration_stretch", 1.0f);
    }
    return 0;
}

int viva_flite_speak(const char *text, int voice, float speed, uintptr_t handle) {
    if (load(voice) != 0) {
        return -1;
    }
    cst_audio_streaming_info *asi = new_audio_streaming_info();
    if (asi == NULL) {
        return -1;
    }
    struct request request = {.handle = handle, .stopped = 0};
    asi->min_buffsize = CHUNK;
    asi->asc = on_chunk;
    asi->userdata = &request;
    cst_features *features = voices[voice].voice->features;
    // The feature owns asi from here on, and frees it when it is removed.
    flite_feat_set(features, "streaming_info", audio_streaming_info_val(asi));
    flite_feat_set_float(features, "duration_stretch", voices[voice].stretch / speed);
    cst_utterance *u = flite_synth_text(text, voices[voice].voice);
    if (u != NULL) {
        delete_utterance(u);
    }
    flite_feat_remove(features, "streaming_info");
    if (request.stopped) {
        return 1;
    }
    return u == NULL ? -1 : 0;
}
