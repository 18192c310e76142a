import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Push, wire } from '../static/js/push.mjs';

function pushed(isEnabled = true) {
  const seen = [];
  const clock = { now: 0 };
  const push = new Push((state) => seen.push(state), () => clock.now);
  push.enable(isEnabled);
  const hold = (source, ms) => {
    push.down(source);
    clock.now += ms;
    push.up(source);
  };
  return { push, seen, clock, hold };
}

test('held, it talks until it is let go', () => {
  const { seen, hold } = pushed();
  hold('pointer 1', 300);
  hold(' ', 5000);
  assert.deepEqual(seen, ['held', 'up', 'held', 'up']);
});

test('a tap keeps it talking until the next press, however long that is', () => {
  const { seen, hold } = pushed();
  hold('pointer 1', 299);
  hold('pointer 1', 20);
  assert.deepEqual(seen, ['held', 'kept', 'up']);
  hold('pointer 1', 20);
  hold(' ', 5000);
  assert.deepEqual(seen.slice(3), ['held', 'kept', 'up']);
});

test('a second finger or key neither starts nor ends anything', () => {
  const { push, seen, clock } = pushed();
  push.down('pointer 1');
  clock.now = 1000;
  push.down('pointer 2');
  push.up('pointer 2');
  push.up(' ');
  assert.deepEqual(seen, ['held']);
  push.up('pointer 1');
  push.up('pointer 1');
  assert.deepEqual(seen, ['held', 'up']);
});

test('what cannot be used is let go, and not pressed', () => {
  const { push, seen, hold } = pushed(false);
  hold('pointer 1', 1000);
  assert.deepEqual(seen, []);
  push.enable(true);
  hold('pointer 1', 10);
  push.enable(false);
  assert.deepEqual(seen, ['held', 'kept', 'up']);
  push.enable(true);
  assert.equal(push.state, 'up');
});

test('a window that is left ends what is held, not what a tap began', () => {
  const { push, seen, hold } = pushed();
  push.down(' ');
  push.lost();
  push.up(' ');
  assert.deepEqual(seen, ['held', 'up']);
  hold('pointer 1', 10);
  push.lost();
  assert.equal(push.state, 'kept');
});

// A page with one button; `elsewhere` stands for what else has the keyboard.
function page() {
  const target = () => Object.assign(new EventTarget(), { closest: () => null });
  const button = Object.assign(target(), { disabled: false, offsetParent: {}, captured: [], setPointerCapture: (id) => button.captured.push(id) });
  const doc = Object.assign(new EventTarget(), { defaultView: new EventTarget(), hidden: false });
  const p = pushed();
  wire(p.push, button, doc);
  const send = (at, type, fields, from = at) => {
    const event = Object.assign(new Event(type, { cancelable: true }), fields);
    if (from !== at) Object.defineProperty(event, 'target', { value: from });
    at.dispatchEvent(event);
    return event;
  };
  return { ...p, button, doc, send, key: (type, key, from, more) => send(doc, type, { key, ...more }, from) };
}

test('a finger is followed off the button', () => {
  const { button, seen, clock, send } = page();
  send(button, 'pointerdown', { button: 2, pointerId: 6 });
  assert.deepEqual(seen, [], 'the right button of a mouse');
  send(button, 'pointerdown', { button: 0, pointerId: 7 });
  clock.now = 1000;
  assert.deepEqual(button.captured, [7]);
  send(button, 'pointercancel', { pointerId: 7 });
  send(button, 'lostpointercapture', { pointerId: 7 });
  send(button, 'click', { detail: 1 });
  assert.deepEqual(seen, ['held', 'up']);
  assert.ok(send(button, 'contextmenu', {}).defaultPrevented);
});

test('assistive technology clicks: talk, and click again to send', () => {
  const { button, seen, send } = page();
  send(button, 'click', { detail: 0 });
  assert.deepEqual(seen, ['held', 'kept']);
  send(button, 'click', { detail: 0 });
  assert.deepEqual(seen, ['held', 'kept', 'up']);
});

test('the space bar talks from anywhere but where it has a meaning', () => {
  const { seen, clock, key } = page();
  const body = { closest: () => null };
  const field = { closest: (what) => (what.includes('input') ? field : null) };
  assert.ok(!key('keydown', ' ', field).defaultPrevented);
  key('keyup', ' ', field);
  key('keydown', 'Enter', body);
  key('keydown', ' ', body, { ctrlKey: true });
  assert.deepEqual(seen, []);
  assert.ok(key('keydown', ' ', body).defaultPrevented);
  clock.now = 600;
  assert.ok(key('keydown', ' ', body, { repeat: true }).defaultPrevented);
  key('keyup', ' ', field); // the focus has moved meanwhile
  assert.deepEqual(seen, ['held', 'up']);
});

test('on the button itself Enter does too, and neither key clicks', () => {
  const { button, seen, clock, key } = page();
  for (const name of [' ', 'Enter']) {
    assert.ok(key('keydown', name, button).defaultPrevented);
    clock.now += 1000;
    assert.ok(key('keyup', name, button).defaultPrevented);
  }
  assert.deepEqual(seen, ['held', 'up', 'held', 'up']);
});

test('a button that is not there takes no keys', () => {
  const { button, seen, key } = page();
  const body = { closest: () => null };
  button.offsetParent = null;
  assert.ok(!key('keydown', ' ', body).defaultPrevented);
  Object.assign(button, { offsetParent: {}, disabled: true });
  assert.ok(!key('keydown', ' ', body).defaultPrevented);
  assert.deepEqual(seen, []);
});

test('leaving the window lets go', () => {
  const { button, doc, seen, send } = page();
  send(button, 'pointerdown', { button: 0, pointerId: 7 });
  send(doc.defaultView, 'blur', {});
  send(button, 'pointerdown', { button: 0, pointerId: 8 });
  doc.hidden = true;
  send(doc, 'visibilitychange', {});
  assert.deepEqual(seen, ['held', 'up', 'held', 'up']);
});
