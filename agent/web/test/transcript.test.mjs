import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Transcript } from '../static/js/transcript.mjs';

const header = (id, segment, final = 'false') => ({
  id, attributes: { 'lk.segment_id': segment, 'lk.transcription_final': final },
});

function say(transcript, who, id, segment, chunks, { final = 'false', trailer } = {}) {
  const info = header(id, segment, final);
  const stream = transcript.open(info, who);
  for (const chunk of chunks) stream.add(chunk);
  stream.close({ ...info.attributes, ...trailer });
}

const texts = (t) => t.lines().map(({ who, text, final }) => `${who}${final ? '' : '…'}: ${text}`);

test('chunks of the agent’s stream are added up and final when it closes', () => {
  const t = new Transcript();
  const stream = t.open(header('s1', 'SG_1'), 'agent');
  stream.add('Good ');
  stream.add('morning.');
  assert.deepEqual(texts(t), ['agent…: Good morning.']);
  stream.close(); // an agent that cannot send trailer attributes
  assert.deepEqual(texts(t), ['agent: Good morning.']);
});

test('each of the candidate’s streams replaces the text of its segment', () => {
  const t = new Transcript();
  say(t, 'you', 's1', 'SG_1', ['I am']);
  say(t, 'you', 's2', 'SG_1', ['I am a back', 'end engineer']);
  assert.deepEqual(texts(t), ['you…: I am a backend engineer']);
  say(t, 'you', 's3', 'SG_1', ['I am a backend engineer.'], { final: 'true' });
  assert.deepEqual(texts(t), ['you: I am a backend engineer.']);
});

test('the old text stays until the new stream says something', () => {
  const t = new Transcript();
  say(t, 'you', 's1', 'SG_1', ['hello']);
  const next = t.open(header('s2', 'SG_1'), 'you');
  assert.deepEqual(texts(t), ['you…: hello']);
  next.add('hello there');
  assert.deepEqual(texts(t), ['you…: hello there']);
});

test('an older stream that is still read cannot overwrite a newer one', () => {
  const t = new Transcript();
  const old = t.open(header('s1', 'SG_1'), 'you');
  say(t, 'you', 's2', 'SG_1', ['newer']);
  old.add('older');
  old.close();
  assert.deepEqual(texts(t), ['you…: newer']);
});

test('nothing follows a final text', () => {
  const t = new Transcript();
  const late = t.open(header('s0', 'SG_1'), 'you');
  say(t, 'you', 's1', 'SG_1', ['done.'], { final: 'true' });
  late.add('late');
  say(t, 'you', 's2', 'SG_1', ['later']);
  assert.deepEqual(texts(t), ['you: done.']);
});

test('a final flag may come with the trailer', () => {
  const t = new Transcript();
  say(t, 'you', 's1', 'SG_1', ['yes'], { trailer: { 'lk.transcription_final': 'true' } });
  assert.deepEqual(texts(t), ['you: yes']);
});

test('an utterance that turns out to be nothing disappears', () => {
  const seen = [];
  const t = new Transcript((u, removed) => seen.push([u.text, removed]));
  say(t, 'you', 's1', 'SG_1', ['uh']);
  say(t, 'you', 's2', 'SG_1', [], { final: 'true' });
  assert.deepEqual(texts(t), []);
  assert.deepEqual(seen.at(-1), ['', true]);
});

test('segments of different people and segments without id do not mix', () => {
  const t = new Transcript();
  say(t, 'agent', 's1', 'SG_1', ['A']);
  say(t, 'you', 's2', 'SG_1', ['B'], { final: 'true' });
  const bare = t.open({ id: 's3' }, 'agent');
  bare.add('C');
  bare.close();
  t.say('typed', 'you');
  assert.deepEqual(texts(t), ['agent: A', 'you: B', 'agent: C', 'you: typed']);
});

test('memory is bounded in utterances and in text', () => {
  const t = new Transcript();
  for (let i = 0; i < 600; i++) say(t, 'agent', `s${i}`, `SG_${i}`, [`line ${i}`]);
  assert.equal(t.lines().length, 500);
  assert.equal(t.lines()[0].text, 'line 100');
  const endless = t.open(header('s', 'SG_endless'), 'agent');
  for (let i = 0; i < 100; i++) endless.add('x'.repeat(1000));
  assert.equal(t.lines().at(-1).text.length, 20_000);
});
