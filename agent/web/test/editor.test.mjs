import assert from 'node:assert/strict';
import { test } from 'node:test';

import { encode, indent, LIMIT, newline, outdent, Pause } from '../static/js/editor.mjs';

// edit applies what a key does to a text in which | marks the ends of the selection.
function edit(change, marked) {
  const start = marked.indexOf('|');
  const value = marked.replaceAll('|', '');
  const end = marked.lastIndexOf('|') === start ? start : marked.lastIndexOf('|') - 1;
  const e = change(value, start, end);
  const after = value.slice(0, e.from) + e.text + value.slice(e.to);
  const mark = (text, at) => `${text.slice(0, at)}|${text.slice(at)}`;
  return e.start === e.end ? mark(after, e.start) : mark(mark(after, e.end), e.start);
}

test('Tab fills up to the next step, or moves the selected lines', () => {
  for (const [before, after] of [
    ['|', '    |'],
    ['ab|', 'ab  |'],
    ['x\nabcd|', 'x\nabcd    |'],
    ['a|b\nc|d', '|    ab\n    cd|'],
    ['|a\n|b', '|    a|\nb'],
    ['|a\n\nb|', '|    a\n\n    b|'],
  ]) assert.equal(edit(indent, before), after, before);
});

test('Shift+Tab takes a step away', () => {
  for (const [before, after] of [
    ['      ab|', '  ab|'],
    ['\tab|', 'ab|'],
    ['ab|', 'ab|'],
    [' |   ab', '|ab'],
    ['|    a\n  b|', '|a\nb|'],
  ]) assert.equal(edit(outdent, before), after, before);
});

test('a new line is as deep as the one before, deeper after what opens a block', () => {
  for (const [before, after] of [
    ['    a|', '    a\n    |'],
    ['for x in xs:|', 'for x in xs:\n    |'],
    ['  if (a) {|}', '  if (a) {\n      |}'],
    ['ab|cd|ef', 'ab\n|ef'],
    ['|', '\n|'],
  ]) assert.equal(edit(newline, before), after, before);
});

test('what is sent is JSON, and no longer than the limit in bytes', () => {
  assert.deepEqual(JSON.parse(new TextDecoder().decode(encode({ text: 'a\n"b"', language: 'go' }))), { text: 'a\n"b"', language: 'go' });
  const room = LIMIT - encode({ text: '', language: 'go' }).length;
  assert.equal(encode({ text: 'a'.repeat(room), language: 'go' }).length, LIMIT);
  assert.equal(encode({ text: 'a'.repeat(room + 1), language: 'go' }), null);
  assert.equal(encode({ text: '字'.repeat(room / 3 + 1), language: 'go' }), null);
});

/** Takes the place of the timers until the test ends. Those of Node 18 do not forget a timer that was cleared. */
function freezeTimers(t) {
  const due = new Map();
  let now = 0;
  let next = 1;
  t.mock.method(globalThis, 'setTimeout', (call, ms) => {
    due.set(next, { call, at: now + ms });
    return next++;
  });
  t.mock.method(globalThis, 'clearTimeout', (id) => due.delete(id));
  return function tick(ms) {
    const end = now + ms;
    for (;;) {
      const [first] = [...due].filter(([, timer]) => timer.at <= end).sort((x, y) => x[1].at - y[1].at);
      if (!first) break;
      due.delete(first[0]);
      now = first[1].at;
      first[1].call();
    }
    now = end;
  };
}

test('a draft is told 400 ms after the last key, once', (t) => {
  const tick = freezeTimers(t);
  let told = 0;
  const pause = new Pause(() => { told++; });
  pause.changed(0);
  tick(399);
  pause.changed(399);
  tick(399);
  assert.equal(told, 0);
  tick(1);
  assert.equal(told, 1);
  pause.flush();
  tick(10_000);
  assert.equal(told, 1, 'what was told is not told again');
});

test('keys that never pause do not keep a draft back for more than two seconds', (t) => {
  const tick = freezeTimers(t);
  let told = 0;
  const pause = new Pause(() => { told++; });
  for (let now = 0; now < 2000; now += 100) {
    pause.changed(now);
    tick(100);
  }
  assert.equal(told, 1);
  pause.changed(2000);
  pause.flush();
  assert.equal(told, 2);
  pause.changed(3000);
  pause.cancel();
  tick(10_000);
  assert.equal(told, 2);
});
