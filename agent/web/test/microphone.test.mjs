import assert from 'node:assert/strict';
import { test } from 'node:test';

import { levelOf, problemOf } from '../static/js/microphone.mjs';

test('level: silence is 0, full scale 1, −30 dBFS a half', () => {
  const tone = (amplitude) => Float32Array.from({ length: 1024 }, (_, i) => (i % 2 ? amplitude : -amplitude));
  assert.equal(levelOf(new Float32Array(1024)), 0);
  assert.ok(Math.abs(levelOf(tone(1)) - 1) < 1e-6);
  assert.ok(Math.abs(levelOf(tone(10 ** (-30 / 20))) - 0.5) < 1e-6);
});

test('every microphone problem is explained', () => {
  for (const name of ['NotAllowedError', 'SecurityError', 'NotFoundError', 'NotReadableError', 'OverconstrainedError', 'Odd']) {
    const { title, text } = problemOf({ name });
    assert.ok(title && text, name);
  }
  assert.match(problemOf({ name: 'NotAllowedError' }).text, /Allow/);
});
