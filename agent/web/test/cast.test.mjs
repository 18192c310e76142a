import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Cast, castOf, DOCUMENT_LIMIT, personasOf, receiptOf } from '../static/js/cast.mjs';

const bytes = (value) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

test('what the interviewer says about who interviews', () => {
  assert.deepEqual(castOf({ 'viva.personas': 'on', 'viva.persona': 'HR', 'viva.materials': 'on' }), { menu: true, persona: 'HR', materials: true });
  assert.deepEqual(castOf(), { menu: false, persona: '', materials: false });
});

test('the menu', () => {
  const menu = [{ id: 'hr', name: 'HR' }, { id: 'senior_developer', name: 'Senior Developer' }];
  assert.deepEqual(personasOf(bytes(menu)), menu);
  assert.deepEqual(personasOf(bytes([{ id: 'hr', name: 'HR', secret: 1 }, { id: 7 }, null])), [{ id: 'hr', name: 'HR' }]);
  for (const bad of ['', 'x', '{}', '[]', '[{"id":"hr"}]']) assert.equal(personasOf(bytes(bad)), null, bad);
});

test('what became of a document', () => {
  assert.deepEqual(receiptOf(bytes({ kind: 'resume', name: 'cv.txt', ok: true })), { kind: 'resume', ok: true, error: '' });
  assert.deepEqual(receiptOf(bytes({ kind: 'job_description', ok: false, error: 'too large' })), { kind: 'job_description', ok: false, error: 'too large' });
  for (const bad of ['', '{}', '{"kind":"diary","ok":true}', '{"kind":"resume"}']) assert.equal(receiptOf(bytes(bad)), null, bad);
});

// elements stand in for those of the page.
function elements() {
  const all = new Map();
  const made = [];
  const element = () => {
    const listeners = {};
    return {
      hidden: true, textContent: '', value: '', disabled: false, children: [],
      addEventListener: (name, f) => { listeners[name] = f; },
      replaceChildren(...children) { this.children = children; },
      fire: (name, event) => listeners[name](event),
    };
  };
  globalThis.document = { createElement: () => { const e = element(); made.push(e); return e; } };
  return { made, byId: (id) => { if (!all.has(id)) all.set(id, element()); return all.get(id); } };
}

test('the menu is shown while the candidate may choose; a choice that was not sent can be made again', async (t) => {
  t.after(() => { delete globalThis.document; });
  const { byId, made } = elements();
  const chosen = [];
  let isConnected = false;
  const cast = new Cast({ onChoose: async (id) => { chosen.push(id); return isConnected; }, onDocument: async () => true }, byId);
  cast.show({ menu: true, persona: '', materials: true });
  assert.equal(byId('choose').hidden, true, 'an empty menu is shown');
  assert.equal(cast.needsMenu, true);
  cast.personas([{ id: 'hr', name: 'HR' }, { id: 'exec', name: 'Executive' }]);
  assert.equal(byId('choose').hidden, false);
  assert.equal(byId('materials').hidden, false);
  assert.deepEqual(made.map((b) => b.textContent), ['HR', 'Executive']);
  await made[1].fire('click');
  assert.deepEqual([chosen, made[0].disabled], [['exec'], false]);
  isConnected = true;
  await made[0].fire('click');
  assert.deepEqual([chosen, made[1].disabled], [['exec', 'hr'], true]);
  cast.show({ menu: false, persona: 'HR', materials: false });
  assert.deepEqual([byId('choose').hidden, byId('materials').hidden, byId('persona-name').textContent], [true, true, 'HR']);
  cast.begin();
  assert.equal(byId('persona-name').textContent, '');
});

test('a document is handed in, and its receipt shown', async (t) => {
  t.after(() => { delete globalThis.document; });
  const { byId } = elements();
  const sent = [];
  let isConnected = true;
  const cast = new Cast({ onChoose: async () => true, onDocument: async (kind, file) => { sent.push([kind, file.name]); return isConnected; } }, byId);
  const hand = (kind, file) => byId(`material-${kind}`).fire('change', { target: { files: file ? [file] : [] } });
  const state = (kind) => byId(`material-${kind}-state`).textContent;
  await hand('resume', { name: 'cv.pdf', size: 10 });
  assert.deepEqual([sent, state('resume')], [[['resume', 'cv.pdf']], 'Being read…']);
  cast.received({ kind: 'resume', ok: false, error: 'PDF is not read here.' });
  assert.equal(state('resume'), 'It was not taken. PDF is not read here.');
  cast.received({ kind: 'resume', ok: true, error: '' });
  assert.equal(state('resume'), 'The interviewer has read it.');
  await hand('job_description', { name: 'job.txt', size: DOCUMENT_LIMIT + 1 });
  await hand('job_description', null);
  assert.equal(sent.length, 1, 'too large, or nothing, is not sent');
  assert.match(state('job_description'), /2 MB/);
  isConnected = false;
  await hand('job_description', { name: 'job.txt', size: 3 });
  assert.match(state('job_description'), /could not be sent/);
});
