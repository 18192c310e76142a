// The page's controller: from the form to the room to the end. Each fact has one place where it is decided, here.

import { Call } from './call.mjs';
import { Cast } from './cast.mjs';
import { encode } from './editor.mjs';
import { Lobby } from './lobby.mjs';
import { Microphone, isGranted, problemOf } from './microphone.mjs';
import { Push, wire as wirePush } from './push.mjs';
import { ReportPanel } from './report.mjs';
import * as tickets from './ticket.mjs';
import { Transcript } from './transcript.mjs';
import { TranscriptView } from './transcript-view.mjs';
import { View } from './view.mjs';
import { t } from './words.mjs';
import { Workspace } from './workspace.mjs';

const CLIENT = '../vendor/livekit-client.esm.mjs';
const FAREWELL_LIMIT = 15_000; // ms a finished interviewer may go on speaking
const TOUCH_EVERY = 5_000; // ms

const byId = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);

const view = new View();
const words = new TranscriptView({
  log: byId('transcript'), now: byId('transcript-now'), empty: byId('transcript-empty'), scroller: byId('scroller'),
  mend: (utterance, text) => mend(utterance, text),
});
const transcript = new Transcript((utterance, removed) => words.show(utterance, removed));
const microphone = new Microphone((level) => view.level(level));
const lobby = new Lobby(query, (locale) => speak(locale));
const workspace = new Workspace((draft) => tellCode(draft));

const cast = new Cast({
  onChoose: async (id) => await call?.choose(id) ?? false,
  onDocument: async (kind, file) => await call?.handIn(kind, file) ?? false,
});

const reportPanel = new ReportPanel();

const push = new Push((state) => {
  showPush();
  call?.talk(state !== 'up');
});

let livekit = null; // the client library, once loaded
let call = null; // the present stay in a room
let room = ''; // its name
let typing = false; // the candidate answers without a microphone
let interview = null; // the last state the interviewer published
let isConnected = false;
let isHere = false; // the interviewer
let farewell; // timer until a finished interview is closed whatever the interviewer does

// ---- before the interview

// speak makes the page speak the language of the interview.
function speak(locale) {
  view.language(locale || 'en');
  lobby.retranslate();
}

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
    const choice = lobby.choice;
    const ticket = await tickets.requestTicket({ name, ...choice });
    await enter({ ...ticket, name, locale: choice.locale, typing, deviceId: typing ? '' : byId('device').value });
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
  room = ticket.room;
  view.language(ticket.locale || 'en');
  view.fresh(ticket.name);
  workspace.begin(tickets.keptCode(room));
  cast.begin();
  reportPanel.begin();
  view.phase('connecting');
  tickets.keep(ticket);
  const mine = new Call(livekit, byId('audio'), handlers());
  call = mine;
  if (workspace.draft.text) tellCode(workspace.draft); // a reload's
  await mine.join(ticket);
}

// noticeText says in the page's language what was not taken of what it sent.
function noticeText({ kind, text }) {
  return {
    code: t('Your code changes faster than it can be taken, and some of it was left out. Wait a moment, then change something once more.'),
    chat: t('Your messages come faster than they can be read, and some were left out. Wait a moment, then send them again.'),
    full: t('This interview has taken all the text that it can. Please go on by voice.'),
  }[kind] ?? text;
}

function handlers() {
  return {
    connection(state) {
      const broken = state === 'reconnecting';
      if (!broken && !isConnected) call?.askReport();
      isConnected = !broken;
      view.controls(!broken);
      updatePush();
      view.banner('reconnecting', broken && { text: t('The connection dropped. Reconnecting…') });
      view.phase(broken ? 'reconnecting' : interview ? 'live' : 'waiting');
    },
    agent: agentChanged,
    interview(state) {
      interview = state;
      view.phase('live');
      view.interview(state);
      view.recording(state.recording && !state.done);
      workspace.open(state.code && !state.done);
      if (state.code && !workspace.hasTask) call?.askTask();
      updatePush();
      if (state.done) sayFarewell();
    },
    task: (task) => workspace.task(task),
    cast(state) {
      cast.show(state);
      if (cast.needsMenu) call?.askMenu();
    },
    personas: (list) => cast.personas(list),
    receipt: (receipt) => cast.received(receipt),
    notice: (notice) => view.banner('quota', { text: noticeText(notice), second: { label: t('Close'), run: () => view.banner('quota', null) } }),
    report: (report) => reportPanel.show(report),
    told: (isTold) => encode(workspace.draft) && workspace.sent(isTold ? 'told' : 'kept'),
    speaking: (who) => view.speaking(who),
    stream: (info, who) => transcript.open(info, who),
    muted(isMuted) {
      view.muted(isMuted);
      updatePush();
    },
    playback(isAllowed) {
      view.banner('sound', !isAllowed && {
        text: t('The browser waits for a click before it plays sound.'),
        action: { label: t('Hear the interviewer'), run: () => call?.allowSound() },
      });
    },
    microphone(error) {
      const { title, text } = problemOf(error);
      view.banner('microphone', {
        text: `${title} ${text} ${t('You can also type your answers.')}`,
        action: { label: t('Try again'), run: () => retryMicrophone() },
        second: { label: t('Type instead'), run: () => typeInstead() },
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
    ? t('The interviewer has not come yet. It may be busy, or not running.')
    : t('The interviewer left unexpectedly. It may come back.');
  view.banner('agent', {
    text,
    action: { label: t('Start again'), run: () => startAgain() },
    second: { label: t('Keep waiting'), run: () => view.banner('agent', null) },
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
  workspace.flush(); // the words may be about the code
  try {
    await call.say(text);
    transcript.say(text, 'you');
  } catch {
    input.value = text; // not sent: leave it to be sent again
    view.banner('microphone', { text: t('The message could not be sent. Try again when connected.') });
  }
}

// mend tells the interviewer what the candidate said with their latest words, and shows it once it is told.
async function mend({ key, segment }, text) {
  try {
    await call.mend(segment, text);
    transcript.mend(key, text);
    return true;
  } catch {
    view.banner('microphone', { text: t('The message could not be sent. Try again when connected.') });
    return false;
  }
}

// tellCode tells the interviewer what the candidate has written.
async function tellCode(draft) {
  tickets.keepCode(room, draft);
  const payload = encode(draft);
  if (!payload) {
    workspace.sent('long');
    return;
  }
  const isTold = await call?.code(payload);
  if (isTold !== undefined) workspace.sent(isTold ? 'told' : 'kept');
}

// stopRecording takes consent back; the mark goes when the interviewer says that nothing is kept any more.
async function stopRecording() {
  byId('record-stop').disabled = true;
  try {
    await call?.consent(false);
  } catch {
    view.banner('microphone', { text: t('The message could not be sent. Try again when connected.') });
  } finally {
    byId('record-stop').disabled = false;
  }
}

async function askToEnd() {
  const dialog = byId('confirm');
  dialog.returnValue = 'no';
  dialog.showModal();
  byId('confirm-no').focus();
}

// ---- after the interview

function endingOf(reason) {
  switch (reason) {
    case 'done':
      return { title: t('Thank you'), text: t('The interview is finished. You can close this page.'), tone: 'good' };
    case 'left':
      return { title: t('Interview ended'), text: t('You ended the interview.'), tone: 'calm' };
    case 'elsewhere':
      return { title: t('Opened elsewhere'), text: t('This interview goes on in another tab or window.'), tone: 'calm' };
    case 'closed':
      return { title: t('Interview closed'), text: t('The interview was closed by the other side.'), tone: 'calm' };
    default:
      return {
        title: t('Connection lost'),
        text: t('The page could not reconnect. Check the network and rejoin; the interviewer waits a short while.'),
        tone: 'bad', canRejoin: true,
      };
  }
}

function ended(reason) {
  clearTimeout(farewell);
  farewell = undefined;
  call = null;
  push.enable(false);
  workspace.open(false);
  view.clearBanners();
  if (byId('confirm').open) byId('confirm').close('no');
  const ending = endingOf(interview?.done ? 'done' : reason);
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
  workspace.open(false);
  view.phase('lobby');
  speak(lobby.locale);
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
  byId('record-stop').addEventListener('click', stopRecording);
  byId('confirm').addEventListener('close', () => {
    if (byId('confirm').returnValue === 'yes') call?.leave();
  });
  byId('chat').addEventListener('submit', (event) => {
    event.preventDefault();
    sendTyped();
  });
  byId('chat-input').addEventListener('keydown', (event) => {
    // Shift and Enter is a line break, and so are those of what is pasted: code is one message, with its lines.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
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
    throw new Error(t('The LiveKit client is not installed on the server. Run “make setup” there, then build and start it again.'));
  }
  const { interviews, default: preselected } = await tickets.loadInterviews();
  lobby.fill(interviews, preselected);
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
      text: t('You were in an interview on this page.'),
      action: { label: t('Rejoin'), run: () => rejoin(kept.ticket) },
      second: { label: t('Forget it'), run: () => { tickets.forget(); view.banner('kept', null); } },
    });
  }
}

main();
