#ifndef VIVA_FLITE_H
#define VIVA_FLITE_H

#include <stdint.h>

// viva_flite_speak synthesises text and hands the samples to vivaFliteChunk as they come. Calls must not overlap. It returns 0
// when all was said, 1 when the callback stopped it, and -1 when synthesis failed.
int viva_flite_speak(const char *text, int voice, float speed, uintptr_t handle);

#endif
