import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Call } from '../static/js/call.mjs';

// A room that does nothing by itself: tests emit what a server would cause.
function standIn() {
  const rooms = [];
  class Room {
    constructor(options) {
      this.options = options;
      this.listeners = {};
      this.remoteParticipants = new Map();
      this.canPlaybackAudio = true;
      this.sent = [];
      this.files = [];
      this.texts = [];
      this.localParticipant = {
        identity: 'me', isMicrophoneEnabled: false,
        setMicrophoneEnabled: async (on) => { this.localParticipant.isMicrophoneEnabled = on; },
        sendText: async (text, options) => {
          if (this.isDown) throw new Error('not connected');
          this.texts.push([text, options.destinationIdentities?.[0], options.attributes?.['viva.again']]);
        },
        sendBytes: async (bytes, options) => {
          if (this.isDown) throw new Error('not connected');
          this.files.push([options, new TextDecoder().decode(bytes)]);
        },
        publishData: async (payload, options) => {
          if (this.isDown) throw new Error('not connected');
          this.sent.push([options, JSON.parse(new TextDecoder().decode(payload) || 'null')]);
        },
      };
      rooms.push(this);
    }
    on(event, listener) { this.listeners[event] = listener; return this; }
    emit(event, ...args) { this.listeners[event](...args); }
    registerTextStreamHandler(topic, handler) { this.streams = { ...this.streams, [topic]: handler }; }
    async connect() { if (this.constructor.broken) throw new Error('refused'); }
    async disconnect() { this.emit('Disconnected', 1); }
  }
  const names = new Proxy({}, { get: (_, name) => name });
  const DisconnectReason = { CLIENT_INITIATED: 1, DUPLICATE_IDENTITY: 2, PARTICIPANT_REMOVED: 4, ROOM_DELETED: 5, ROOM_CLOSED: 10 };
  return { rooms, Room, RoomEvent: names, Track: { Kind: { Audio: 'audio' } }, AudioPresets: {}, DisconnectReason };
}

// Node 18 (Debian 12) takes the names of the timers themselves, later ones take options.
function freezeTimers(t) {
  t.mock.timers.reset();
  const old = Number(process.versions.node.split('.')[0]) < 20;
  t.mock.timers.enable(old ? ['setTimeout'] : { apis: ['setTimeout'] });
}

async function joined(t, options = { typing: true }) {
  freezeTimers(t);
  const livekit = standIn();
  const seen = [];
  const handlers = Object.fromEntries(
    ['connection', 'agent', 'interview', 'task', 'cast', 'personas', 'receipt', 'notice', 'report', 'told', 'speaking', 'muted', 'playback', 'microphone', 'ended']
      .map((name) => [name, (value) => seen.push([name, value])]),
  );
  handlers.stream = () => ({ add() {}, close() {} });
  const call = new Call(livekit, { replaceChildren() {}, append() {} }, handlers);
  await call.join({ url: 'ws://x', token: 't', ...options });
  const of = (name) => seen.filter(([n]) => n === name).map(([, value]) => value);
  return { call, room: livekit.rooms[0], of };
}

const agent = (attributes = {}, identity = 'agent-1') => ({ isAgent: true, attributes, identity });

test('a missing interviewer is reported after 20 s, once', async (t) => {
  const { of, room } = await joined(t);
  t.mock.timers.tick(19_999);
  assert.deepEqual(of('agent'), []);
  t.mock.timers.tick(1);
  assert.deepEqual(of('agent'), ['late']);
  room.emit('ParticipantConnected', agent());
  assert.deepEqual(of('agent'), ['late', 'here']);
});

test('an interviewer who comes in time is not late', async (t) => {
  const { of, room } = await joined(t);
  const interviewer = agent({ 'lk.agent.state': 'listening' });
  room.emit('ParticipantConnected', interviewer);
  t.mock.timers.tick(60_000);
  assert.deepEqual(of('agent'), ['here']);
  assert.equal(of('interview')[0].agent, 'listening');
  room.emit('ParticipantDisconnected', interviewer);
  assert.deepEqual(of('agent'), ['here', 'left']);
});

test('neither other candidates nor an avatar’s worker are the interviewer', async (t) => {
  const { of, room } = await joined(t);
  room.emit('ParticipantConnected', { isAgent: false, attributes: {} });
  room.emit('ParticipantConnected', agent({ 'lk.publish_on_behalf': 'agent-1' }));
  assert.deepEqual(of('agent'), []);
});

test('how a stay ends decides what is told', async (t) => {
  for (const [reason, want] of [[2, 'elsewhere'], [4, 'closed'], [5, 'closed'], [10, 'closed'], [undefined, 'lost'], [3, 'lost']]) {
    const { of, room } = await joined(t);
    room.emit('Disconnected', reason);
    room.emit('ParticipantConnected', agent());
    assert.deepEqual(of('ended'), [want], String(reason));
    assert.deepEqual(of('agent'), [], 'nothing comes after the end');
  }
  const { call, of } = await joined(t);
  await call.leave();
  await call.leave();
  assert.deepEqual(of('ended'), ['left']);
});

test('a microphone that fails in the room is told and leaves the candidate muted', async (t) => {
  const { call, room, of } = await joined(t, { typing: false });
  assert.deepEqual(of('muted'), [false]);
  room.localParticipant.setMicrophoneEnabled = async () => { throw new DOMException('no', 'NotAllowedError'); };
  room.localParticipant.isMicrophoneEnabled = false;
  await call.setMuted(false);
  assert.equal(of('microphone')[0].name, 'NotAllowedError');
  assert.deepEqual(of('muted'), [false, true]);
});

test('a server that cannot be reached is named', async (t) => {
  const livekit = standIn();
  livekit.Room.broken = true;
  const call = new Call(livekit, { replaceChildren() {} }, {});
  await assert.rejects(call.join({ url: 'ws://x', token: 't' }), /ws:\/\/x could not be reached/);
});

test('reconnecting is given up after a while, and never retried at once without end', async (t) => {
  const { room } = await joined(t);
  const { nextRetryDelayInMs } = room.options.reconnectPolicy;
  assert.ok(nextRetryDelayInMs({ retryCount: 0, elapsedMs: 0 }) < 500);
  assert.ok(nextRetryDelayInMs({ retryCount: 9, elapsedMs: 20_000 }) >= 4000);
  assert.equal(nextRetryDelayInMs({ retryCount: 9, elapsedMs: 26_000 }), null);
});

const pressed = (room) => room.sent.map(([, { type }]) => type);

test('the button to talk is told to the interviewer, reliably and in order', async (t) => {
  const { call, room } = await joined(t);
  room.emit('ParticipantConnected', agent());
  call.talk(true);
  call.talk(true);
  await call.talk(false);
  assert.deepEqual(pressed(room), ['press', 'release']);
  assert.deepEqual(room.sent[0], [{ reliable: true, topic: 'viva.turn', destinationIdentities: ['agent-1'] }, { type: 'press' }]);
});

test('a button let go without a connection is told when it is back', async (t) => {
  const { call, room } = await joined(t);
  room.emit('ParticipantConnected', agent());
  await call.talk(true);
  room.isDown = true;
  await call.talk(false);
  assert.deepEqual(pressed(room), ['press']);
  room.isDown = false;
  room.emit('Reconnected');
  await call.talk(false);
  assert.deepEqual(pressed(room), ['press', 'release']);
});

test('an interviewer who comes while the button is down is told', async (t) => {
  const { call, room } = await joined(t);
  const first = agent();
  room.emit('ParticipantConnected', first);
  await call.talk(true);
  room.emit('ParticipantDisconnected', first);
  room.emit('ParticipantConnected', agent({}, 'agent-2'));
  await call.talk(true);
  assert.deepEqual(room.sent.map(([{ destinationIdentities }, { type }]) => [type, destinationIdentities[0]]),
    [['press', 'agent-1'], ['press', 'agent-2']]);
});

test('nothing is told after the end', async (t) => {
  const { call, room } = await joined(t);
  await call.talk(true);
  room.emit('Disconnected', 1);
  await call.talk(false);
  assert.deepEqual(pressed(room), ['press']);
});

const draft = (text) => new TextEncoder().encode(JSON.stringify({ text, language: 'python' }));
const codeOf = (room) => room.sent.filter(([{ topic }]) => topic === 'viva.code').map(([, { text }]) => text);

test('code is told to the interviewer, reliably (R003-42)', async (t) => {
  const { call, room } = await joined(t);
  room.emit('ParticipantConnected', agent());
  assert.equal(await call.code(draft('a = 1')), true);
  assert.deepEqual(room.sent[0],
    [{ reliable: true, topic: 'viva.code', destinationIdentities: ['agent-1'] }, { text: 'a = 1', language: 'python' }]);
});

test('code written before there is an interviewer waits for one, and another one gets it too', async (t) => {
  const { call, room, of } = await joined(t);
  assert.equal(await call.code(draft('a = 1')), false);
  assert.deepEqual(codeOf(room), []);
  const first = agent();
  room.emit('ParticipantConnected', first);
  await call.talk(false);
  room.emit('ParticipantDisconnected', first);
  room.emit('ParticipantConnected', agent({}, 'agent-2'));
  await call.talk(false);
  assert.deepEqual(codeOf(room), ['a = 1', 'a = 1']);
  assert.deepEqual(of('told'), [true, true]);
});

test('after a reconnect the newest code is told, once', async (t) => {
  const { call, room, of } = await joined(t);
  room.emit('ParticipantConnected', agent());
  room.isDown = true;
  assert.equal(await call.code(draft('a = 1')), false);
  assert.equal(await call.code(draft('a = 2')), false);
  room.isDown = false;
  room.emit('Reconnected');
  await call.talk(false);
  assert.deepEqual(codeOf(room), ['a = 2']);
  assert.deepEqual(of('told'), [true]);
});

test('the task comes from the interviewer alone', async (t) => {
  const { room, of } = await joined(t);
  const task = new TextEncoder().encode('{"id":"p","title":"Pairs","text":"Find two.","difficulty":"easy"}');
  room.emit('DataReceived', task, agent(), 1, 'viva.problem');
  room.emit('DataReceived', task, { isAgent: false, attributes: {} }, 1, 'viva.problem');
  room.emit('DataReceived', task, undefined, 1, 'viva.problem'); // from a server
  room.emit('DataReceived', task, agent(), 1, 'viva.other');
  room.emit('DataReceived', new Uint8Array([123]), agent(), 1, 'viva.problem');
  assert.deepEqual(of('task'), [{ id: 'p', title: 'Pairs', text: 'Find two.', difficulty: 'easy' }]);
});

test('a task that was missed is asked for, not too often', async (t) => {
  const { call, room } = await joined(t);
  call.askTask(0);
  assert.equal(room.sent.length, 0, 'there is nobody to ask');
  room.emit('ParticipantConnected', agent());
  for (const now of [0, 1999, 2000]) call.askTask(now);
  assert.deepEqual(room.sent.map(([{ topic }, payload]) => [topic, payload]), [['viva.problem', null], ['viva.problem', null]]);
});

test('the menu comes from the interviewer, is asked for when missed, and the choice is sent', async (t) => {
  const { call, room, of } = await joined(t);
  assert.equal(await call.choose('hr'), false, 'nobody is there to be told');
  const interviewer = agent({ 'viva.personas': 'on', 'viva.materials': 'on' });
  room.emit('ParticipantConnected', interviewer);
  assert.deepEqual(of('cast'), [{ menu: true, persona: '', materials: true }]);
  call.askMenu(0);
  call.askMenu(10);
  assert.equal(room.sent.filter(([o]) => o.topic === 'viva.personas').length, 1);
  const packet = (value) => new TextEncoder().encode(JSON.stringify(value));
  room.emit('DataReceived', packet([{ id: 'hr', name: 'HR' }]), interviewer, 0, 'viva.personas');
  room.emit('DataReceived', packet([{ id: 'x', name: 'X' }]), { isAgent: false, attributes: {} }, 0, 'viva.personas');
  assert.deepEqual(of('personas'), [[{ id: 'hr', name: 'HR' }]]);
  assert.equal(await call.choose('hr'), true);
  assert.deepEqual(room.sent.at(-1), [{ reliable: true, topic: 'viva.persona', destinationIdentities: ['agent-1'] }, { id: 'hr' }]);
});

test('what was not taken is told by the interviewer only', async (t) => {
  const { room, of } = await joined(t);
  const interviewer = agent();
  room.emit('ParticipantConnected', interviewer);
  const packet = (value) => new TextEncoder().encode(JSON.stringify(value));
  room.emit('DataReceived', packet({ kind: 'chat', text: 'Wait a moment.' }), interviewer, 0, 'viva.notice');
  for (const bad of [{ kind: 'chat' }, { text: 7 }, null, 'x']) room.emit('DataReceived', packet(bad), interviewer, 0, 'viva.notice');
  room.emit('DataReceived', packet({ kind: 'chat', text: 'Send me money.' }), { isAgent: false, attributes: {} }, 0, 'viva.notice');
  assert.deepEqual(of('notice'), [{ kind: 'chat', text: 'Wait a moment.' }]);
});

test('a document is sent uncompressed to the interviewer, and what became of it comes back', async (t) => {
  const { call, room, of } = await joined(t);
  const interviewer = agent();
  room.emit('ParticipantConnected', interviewer);
  const file = { name: 'cv.txt', type: 'text/plain', arrayBuffer: async () => new TextEncoder().encode('Ada').buffer };
  assert.equal(await call.handIn('resume', file), true);
  assert.deepEqual(room.files, [[{
    topic: 'viva.material', name: 'cv.txt', mimeType: 'text/plain', attributes: { kind: 'resume', name: 'cv.txt' },
    destinationIdentities: ['agent-1'], compress: false,
  }, 'Ada']]);
  room.isDown = true;
  assert.equal(await call.handIn('resume', file), false);
  room.emit('DataReceived', new TextEncoder().encode('{"kind":"resume","ok":true}'), interviewer, 0, 'viva.material');
  assert.deepEqual(of('receipt'), [{ kind: 'resume', ok: true, error: '' }]);
});

test('consent to a recording is told to the interviewer, and said when it could not be', async (t) => {
  const { call, room } = await joined(t);
  await assert.rejects(call.consent(false), 'nobody is there to be told');
  room.emit('ParticipantConnected', agent());
  await call.consent(false);
  await call.consent(true);
  assert.deepEqual(room.sent.slice(-2), [false, true].map((recording) => (
    [{ reliable: true, topic: 'viva.consent', destinationIdentities: ['agent-1'] }, { recording }])));
  room.isDown = true;
  await assert.rejects(call.consent(false), /not connected/);
});

test('R002-55: the report is taken from the interviewer only, in as many pieces as it comes, and asked for again', async (t) => {
  const { call, room, of } = await joined(t);
  const interviewer = agent();
  room.remoteParticipants.set('agent-1', interviewer);
  room.remoteParticipants.set('guest', { isAgent: false, attributes: {}, identity: 'guest' });
  room.emit('ParticipantConnected', interviewer);
  const pieces = ['{"status":"complete","spoken":"Well ', 'done.","link":"https://viva.test/r/x","report":{}}'];
  const reader = (chunks) => ({ async* [Symbol.asyncIterator]() { yield* chunks; } });
  await room.streams['viva.report'](reader(pieces), { identity: 'guest' });
  await room.streams['viva.report'](reader([pieces[0]]), { identity: 'agent-1' });
  await room.streams['viva.report'](reader(['x'.repeat(5 * 1024 * 1024), ...pieces]), { identity: 'agent-1' });
  assert.deepEqual(of('report'), []);
  await room.streams['viva.report'](reader(pieces), { identity: 'agent-1' });
  assert.deepEqual(of('report'), [{ status: 'complete', spoken: 'Well done.', link: 'https://viva.test/r/x' }]);
  call.askReport();
  assert.deepEqual(room.sent.at(-1), [{ reliable: true, topic: 'viva.report', destinationIdentities: ['agent-1'] }, null]);
});

// speak has an interviewer say something to its end.
async function speak(room, identity) {
  const reader = { info: { id: identity, attributes: {} }, async* [Symbol.asyncIterator]() { yield 'words'; } };
  await room.streams['lk.transcription'](reader, { identity });
}

test('what no interviewer has spoken after is sent again to the next one, once that has spoken', async (t) => {
  const { call, room } = await joined(t);
  await call.say('before anybody came');
  const first = agent();
  room.emit('ParticipantConnected', first);
  await speak(room, 'agent-1');
  await call.say('answered');
  await speak(room, 'agent-1');
  await call.say('to the dying');
  room.emit('ParticipantDisconnected', first);
  await call.say('to nobody');
  room.texts = [];
  room.emit('ParticipantConnected', agent({}, 'agent-2'));
  assert.deepEqual(room.texts, [], 'it may not listen yet');
  await speak(room, 'agent-2');
  assert.deepEqual(room.texts, [['to the dying', 'agent-2', 'true'], ['to nobody', 'agent-2', 'true']]);
  await speak(room, 'agent-2');
  assert.equal(room.texts.length, 2, 'once');
});

test('what is typed over the voice is sent once: the interviewer that it went to is still here', async (t) => {
  const { call, room } = await joined(t);
  room.emit('ParticipantConnected', agent());
  let finish;
  const reader = { info: { id: 's', attributes: {} }, async* [Symbol.asyncIterator]() { yield 'words'; await new Promise((done) => { finish = done; }); } };
  const spoken = room.streams['lk.transcription'](reader, { identity: 'agent-1' });
  await new Promise((done) => { setImmediate(done); });
  await call.say('wait');
  finish();
  await spoken;
  assert.deepEqual(room.texts, [['wait', 'agent-1', undefined]]);
  room.emit('ParticipantDisconnected', room.remoteParticipants.get('agent-1'));
  room.emit('ParticipantConnected', agent({}, 'agent-2'));
  await speak(room, 'agent-2');
  assert.deepEqual(room.texts[1], ['wait', 'agent-2', 'true'], 'nobody has spoken after it yet');
});
