// The page's controller: from the form to the room to the end. Each fact has one place where it is decided, here.

import { Call } from './call.mjs';
import { Microphone, isGranted, problemOf } from './microphone.mjs';
import { Push, wire as wirePush } from './push.mjs';
import * as tickets from './ticket.mjs';
import { Transcript } from './transcript.mjs';
import { TranscriptView } from './transcript-view.mjs';
import { View } from './view.mjs';

const CLIENT = '../vendor/livekit-client.esm.mjs';
const FAREWELL_LIMIT = 15_000; // ms a finished interviewer may go on speaking
const TOUCH_EVERY = 5_000; // ms

const byId = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);

const view = new View();
const words = new TranscriptView({
  log: byId('transcript'), now: byId('transcript-now'), empty: byId('transcript-empty'), scroller: byId('scroller'),
});
const transcript = new Transcript((utterance, removed) => words.show(utterance, removed));
const microphone = new Microphone((level) => view.level(level));

const push = new Push((state) => {
  showPush();
  call?.talk(state !== 'up');
});

let livekit = null; // the client library, once loaded
let call = null; // the present stay in a room
let typing = false; // the candidate answers without a microphone
let interview = null; // the last state the interviewer published
let isConnected = false;
let isHere = false; // the interviewer
let farewell; // timer until a finished interview is closed whatever the interviewer does

// ---- before the interview

async function checkMicrophone(deviceId) {
  typing = false;
  try {
    await microphone.open(deviceId);
  } catch (error) {
    view.microphone('problem', problemOf(error));
    byId('mic-typing').focus();
    return false;
  }
  view.devices(await microphone.devices());
  view.microphone('ready');
  return true;
}

function chooseTyping() {
  typing = true;
  microphone.close();
  view.microphone('typing');
  byId('start').focus();
}

async function start() {
  if (call || byId('start').disabled) return;
  view.formError('');
  view.busy(true);
  try {
    if (!typing && !microphone.isOpen && !await checkMicrophone()) return;
    const name = byId('name').value.trim();
    const ticket = await tickets.requestTicket({
      name, interview: byId('interview').value, locale: document.documentElement.lang,
    });
    await enter({ ...ticket, name, typing, deviceId: typing ? '' : byId('device').value });
  } catch (error) {
    leaveToLobby();
    view.formError(error.message);
  } finally {
    view.busy(false);
  }
}

// ---- in the room

async function enter(ticket) {
  microphone.close();
  transcript.clear();
  words.clear();
  interview = null;
  view.fresh(ticket.name);
  view.phase('connecting');
  tickets.keep(ticket);
  const mine = new Call(livekit, byId('audio'), handlers());
  call = mine;
  await mine.join(ticket);
}

function handlers() {
  return {
    connection(state) {
      const broken = state === 'reconnecting';
      isConnected = !broken;
      view.controls(!broken);
      updatePush();
      view.banner('reconnecting', broken && { text: 'The connection dropped. Reconnecting…' });
      view.phase(broken ? 'reconnecting' : interview ? 'live' : 'waiting');
    },
    agent: agentChanged,
    interview(state) {
      interview = state;
      view.phase('live');
      view.interview(state);
      updatePush();
      if (state.done) sayFarewell();
    },
    speaking: (who) => view.speaking(who),
    stream: (info, who) => transcript.open(info, who),
    muted(isMuted) {
      view.muted(isMuted);
      updatePush();
    },
    playback(isAllowed) {
      view.banner('sound', !isAllowed && {
        text: 'The browser waits for a click before it plays sound.',
        action: { label: 'Hear the interviewer', run: () => call?.allowSound() },
      });
    },
    microphone(error) {
      const { title, text } = problemOf(error);
      view.banner('microphone', {
        text: `${title} ${text} You can also type your answers.`,
        action: { label: 'Try again', run: () => retryMicrophone() },
        second: { label: 'Type instead', run: () => typeInstead() },
      });
    },
    ended,
  };
}

function agentChanged(presence) {
  view.agent(presence);
  isHere = presence === 'here';
  updatePush();
  if (presence === 'here') {
    view.banner('agent', null);
    return;
  }
  if (interview?.done) {
    finish();
    return;
  }
  const text = presence === 'late'
    ? 'The interviewer has not come yet. It may be busy, or not running.'
    : 'The interviewer left unexpectedly. It may come back.';
  view.banner('agent', {
    text,
    action: { label: 'Start again', run: () => startAgain() },
    second: { label: 'Keep waiting', run: () => view.banner('agent', null) },
  });
}

// sayFarewell lets the interviewer finish the sentence after the interview is done.
function sayFarewell() {
  if (interview.agent !== 'speaking') {
    finish();
    return;
  }
  farewell ??= setTimeout(finish, FAREWELL_LIMIT);
}

function finish() {
  call?.leave();
}

async function toggleMute() {
  if (!call || byId('mute').disabled) return;
  view.banner('microphone', null);
  await call.setMuted(!call.isMuted);
}

// updatePush shows the button to talk where the interviewer waits for it, and lets go of it when it cannot be used.
function updatePush() {
  push.enable(canPush());
  showPush();
}

function canPush() {
  return Boolean(call && interview?.manual && !interview.done && isHere && isConnected && !call.isMuted);
}

function showPush() {
  view.push(interview?.manual && !interview.done ? push.state : null, canPush());
}

function retryMicrophone() {
  view.banner('microphone', null);
  call?.setMuted(false);
}

function typeInstead() {
  view.banner('microphone', null);
  byId('chat-input').focus();
}

async function sendTyped() {
  const input = byId('chat-input');
  const text = input.value.trim();
  if (!text || !call) return;
  input.value = '';
  try {
    await call.say(text);
    transcript.say(text, 'you');
  } catch {
    input.value = text; // not sent: leave it to be sent again
    view.banner('microphone', { text: 'The message could not be sent. Try again when connected.' });
  }
}

async function askToEnd() {
  const dialog = byId('confirm');
  dialog.returnValue = 'no';
  dialog.showModal();
  byId('confirm-no').focus();
}

// ---- after the interview

const ENDINGS = {
  done: { title: 'Thank you', text: 'The interview is finished. You can close this page.', tone: 'good' },
  left: { title: 'Interview ended', text: 'You ended the interview.', tone: 'calm' },
  elsewhere: { title: 'Opened elsewhere', text: 'This interview goes on in another tab or window.', tone: 'calm' },
  closed: { title: 'Interview closed', text: 'The interview was closed by the other side.', tone: 'calm' },
  lost: {
    title: 'Connection lost',
    text: 'The page could not reconnect. Check the network and rejoin; the interviewer waits a short while.',
    tone: 'bad', canRejoin: true,
  },
};

function ended(reason) {
  clearTimeout(farewell);
  farewell = undefined;
  call = null;
  push.enable(false);
  view.clearBanners();
  if (byId('confirm').open) byId('confirm').close('no');
  const ending = ENDINGS[interview?.done ? 'done' : reason];
  if (!ending.canRejoin) tickets.forget();
  view.after({ ...ending, lines: transcript.lines() });
  view.phase(ending.canRejoin ? 'lost' : 'finished');
}

async function rejoin(ticket) {
  if (call) return;
  typing = Boolean(ticket.typing);
  try {
    await enter(ticket);
  } catch {
    call = null;
    ended('lost');
  }
}

function leaveToLobby() {
  call = null;
  tickets.forget();
  view.phase('lobby');
}

async function startAgain() {
  const old = call;
  view.clearBanners();
  await old?.leave();
  leaveToLobby();
  await start();
}

// ---- setting up

function wire() {
  byId('form').addEventListener('submit', (event) => {
    event.preventDefault();
    start();
  });
  byId('mic-check').addEventListener('click', () => checkMicrophone());
  byId('mic-retry').addEventListener('click', () => checkMicrophone());
  byId('mic-on').addEventListener('click', () => checkMicrophone());
  byId('mic-typing').addEventListener('click', chooseTyping);
  byId('device').addEventListener('change', (event) => checkMicrophone(event.target.value));
  byId('mute').addEventListener('click', toggleMute);
  byId('end').addEventListener('click', askToEnd);
  byId('confirm').addEventListener('close', () => {
    if (byId('confirm').returnValue === 'yes') call?.leave();
  });
  byId('chat').addEventListener('submit', (event) => {
    event.preventDefault();
    sendTyped();
  });
  byId('rejoin').addEventListener('click', () => {
    const kept = tickets.kept();
    if (kept) rejoin(kept.ticket);
  });
  byId('again').addEventListener('click', () => leaveToLobby());
  wirePush(push, byId('push-button'));
  document.addEventListener('keydown', muteByKey);
  setInterval(() => call && tickets.touch(), TOUCH_EVERY);
  window.addEventListener('pagehide', () => call && tickets.touch());
}

function muteByKey(event) {
  if (event.key.toLowerCase() !== 'm' || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest('input, select, textarea, dialog') || !call) return;
  event.preventDefault();
  toggleMute();
}

async function load() {
  try {
    livekit = await import(CLIENT);
  } catch {
    throw new Error('The LiveKit client is not installed on the server. Run “make setup” there, then build and start it again.');
  }
  const { interviews, default: preselected } = await tickets.loadInterviews();
  const wanted = interviews.some((i) => i.id === query.get('interview')) ? query.get('interview') : preselected;
  view.interviews(interviews, wanted);
}

async function main() {
  wire();
  byId('name').value = query.get('name') ?? '';
  try {
    await load();
  } catch (error) {
    byId('start').disabled = true;
    view.formError(error.message);
    return;
  }
  if (query.get('typing') === '1') chooseTyping();
  else if (await isGranted()) checkMicrophone();
  document.body.dataset.loaded = 'true';
  resume();
}

// resume returns to an interview that a reload has interrupted, or offers to.
function resume() {
  const kept = tickets.kept();
  if (kept?.fresh) {
    rejoin(kept.ticket);
  } else if (kept) {
    view.banner('kept', {
      text: 'You were in an interview on this page.',
      action: { label: 'Rejoin', run: () => rejoin(kept.ticket) },
      second: { label: 'Forget it', run: () => { tickets.forget(); view.banner('kept', null); } },
    });
  } else if (query.get('autostart') === '1') {
    start();
  }
}

main();
