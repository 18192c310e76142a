import assert from 'node:assert/strict';
import { test } from 'node:test';

import { deadlineOf, interviewOf, progressOf, remainingText, taskOf } from '../static/js/interview.mjs';

const NOW = Date.UTC(2026, 0, 2, 12);

test('attributes of the interviewer', () => {
  assert.deepEqual(interviewOf({
    'lk.agent.state': 'speaking', 'viva.stage': 'past', 'viva.stage_title': 'Past experience',
    'viva.progress': '2/3', 'viva.deadline': '90', 'viva.state': 'done',
  }, NOW), {
    agent: 'speaking', stage: 'past', title: 'Past experience', progress: { at: 2, of: 3 }, deadline: NOW + 90_000, done: true, manual: false,
    phase: null, item: '', code: false, recording: false,
  });
});

test('an agent that publishes none of them, such as another framework’s', () => {
  assert.deepEqual(interviewOf({}, NOW), {
    agent: 'initializing', stage: '', title: '', progress: null, deadline: null, done: false, manual: false,
    phase: null, item: '', code: false, recording: false,
  });
});

test('push to talk is for stages that say so', () => {
  for (const [turn, manual] of [['manual', true], ['auto', false], ['', false], ['Manual', false]]) {
    assert.equal(interviewOf({ 'viva.turn': turn }, NOW).manual, manual, turn);
  }
});

test('progress', () => {
  assert.deepEqual(progressOf('3/3'), { at: 3, of: 3 });
  for (const bad of [undefined, '', '4/3', '1/0', 'x', '1/3/5']) assert.equal(progressOf(bad), null, String(bad));
});

test('deadline: seconds left or a point in time', () => {
  assert.equal(deadlineOf('30', NOW), NOW + 30_000);
  assert.equal(deadlineOf(String(NOW / 1000), NOW), NOW);
  assert.equal(deadlineOf(String(NOW), NOW), NOW);
  assert.equal(deadlineOf('2026-01-02T12:00:00Z', NOW), NOW);
  assert.equal(deadlineOf('soon', NOW), null);
  assert.equal(deadlineOf(undefined, NOW), null);
});

test('remaining time is told coarsely', () => {
  const left = (seconds) => remainingText(NOW + seconds * 1000, NOW);
  assert.equal(left(300), 'About 5 minutes left');
  assert.equal(left(80), 'About a minute left');
  assert.equal(left(20), 'Less than a minute left');
  assert.equal(left(-1), 'Time for this part is up');
  assert.equal(remainingText(null, NOW), '');
});

test('a stage of several topics, and one that takes code', () => {
  const { phase, item, code } = interviewOf({ 'viva.phase': '3/5', 'viva.item': 'Data Design', 'viva.code': 'on' }, NOW);
  assert.deepEqual({ phase, item, code }, { phase: { at: 3, of: 5 }, item: 'Data Design', code: true });
  assert.equal(interviewOf({ 'viva.phase': '', 'viva.code': 'off' }, NOW).code, false);
});

test('the task', () => {
  const read = (value) => taskOf(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)));
  assert.deepEqual(read({ id: 'a', title: 'Pairs', text: ' One\ntwo ', difficulty: 'easy', more: 1 }),
    { id: 'a', title: 'Pairs', text: 'One\ntwo', difficulty: 'easy' });
  assert.deepEqual(read({ text: 'x', title: 5 }), { id: '', title: '', text: 'x', difficulty: '' });
  for (const bad of ['', '{', 'null', '[]', '7', { title: 'no text' }, { text: ['x'] }]) assert.equal(read(bad), null);
});
