// What the person sees. Holds elements and turns facts into text, classes and ARIA; decides nothing.

import { agentState, remainingText } from './interview.mjs';
import { line } from './transcript-view.mjs';
import { speakLanguage, t } from './words.mjs';

const byId = (id) => document.getElementById(id);

// Phases: which section shows, and what the state line says.
const PHASES = {
  lobby: ['lobby', () => t('Ready')],
  connecting: ['call', () => t('Connecting…')],
  waiting: ['call', () => t('Waiting for the interviewer…')],
  live: ['call', () => t('Connected')],
  reconnecting: ['call', () => t('Reconnecting…')],
  lost: ['after', () => t('Disconnected')],
  finished: ['after', () => t('Finished')],
};
const SECTIONS = ['lobby', 'call', 'after'];

// Several things can be wrong at once; the first of these shows.
const BANNERS = ['reconnecting', 'sound', 'agent', 'microphone', 'quota', 'kept', 'setup'];

export class View {
  #banners = new Map();
  #push = null; // the state of the button to talk, null where there is none
  #deadline = null;

  constructor() {
    byId('banner-action').addEventListener('click', () => this.#topBanner()?.action?.run());
    byId('banner-second').addEventListener('click', () => this.#topBanner()?.second?.run());
    setInterval(() => this.#showRemaining(), 5000);
  }

  phase(name) {
    const [section, text] = PHASES[name];
    const before = document.body.dataset.phase;
    document.body.dataset.phase = name;
    for (const id of SECTIONS) byId(id).hidden = id !== section;
    byId('state').textContent = text();
    if (PHASES[before]?.[0] === section) return;
    if (section === 'call') byId('stage').focus();
    if (section === 'after') byId('after-title').focus();
  }

  // language is that of the page from now on, and of what is said.
  language(tag) {
    speakLanguage(tag);
    for (const id of ['transcript', 'transcript-now', 'after-lines', 'task-title', 'task-text']) byId(id).lang = tag;
    byId('state').textContent = PHASES[document.body.dataset.phase][1]();
    this.busy(byId('start').disabled);
    this.muted(byId('mute').getAttribute('aria-pressed') === 'true');
  }

  formError(text) {
    byId('form-error').textContent = text;
    byId('form-error').hidden = !text;
  }

  // busy: the form was sent and is being worked on.
  busy(isBusy) {
    byId('start').disabled = isBusy;
    byId('start').textContent = isBusy ? t('Starting…') : t('Start interview');
  }

  // microphone shows one of: 'unchecked', 'ready', 'problem' (with { title, text }), 'typing'.
  microphone(state, problem) {
    byId('mic-check').hidden = state !== 'unchecked';
    byId('mic-ready').hidden = state !== 'ready';
    byId('mic-problem').hidden = state !== 'problem';
    byId('mic-off').hidden = state !== 'typing';
    byId('mic-problem-title').textContent = problem?.title ?? '';
    byId('mic-problem-text').textContent = problem?.text ?? '';
  }

  devices(all) {
    byId('device').replaceChildren(...all.map((d) => new Option(d.label, d.id, false, d.active)));
  }

  level(value) {
    byId('level-bar').style.transform = `scaleX(${value.toFixed(3)})`;
    byId('level').setAttribute('aria-valuenow', String(Math.round(value * 10) * 10)); // coarse, for screen readers
  }

  // fresh clears what an earlier interview has left.
  fresh(name) {
    this.clearBanners();
    this.agent('expected');
    this.controls(false);
    this.#deadline = null;
    this.#showRemaining();
    this.#showProgress(null);
    this.#showTopics(null, '');
    this.push(null);
    this.recording(false);
    byId('stage').textContent = t('Getting ready');
    byId('stage').dataset.stage = '';
    byId('you-name').textContent = name || t('You');
    byId('you-state').textContent = t('Connecting');
  }

  // agent takes 'expected', 'late', 'here' or 'left'.
  agent(presence) {
    const isHere = presence === 'here';
    byId('person-agent').classList.toggle('absent', !isHere);
    for (const id of ['chat-input', 'chat-send']) byId(id).disabled = !isHere;
    if (isHere) return;
    delete byId('person-agent').dataset.state;
    byId('agent-state').textContent = presence === 'left' ? t('Has left') : t('Not here yet');
  }

  // interview takes what interviewOf gives.
  interview({ agent, stage, title, progress, phase, item, deadline }) {
    byId('person-agent').dataset.state = agent;
    byId('agent-state').textContent = agentState(agent);
    byId('stage').dataset.stage = stage;
    setText(byId('stage'), title || t('Interview'));
    this.#showProgress(progress);
    this.#showTopics(phase, item === title ? '' : item);
    this.#deadline = deadline;
    this.#showRemaining();
  }

  // recording shows that the sound is kept.
  recording(isOn) {
    if (byId('recording').hidden === isOn) byId('recording').hidden = !isOn;
  }

  speaking({ agent, you }) {
    byId('person-agent').classList.toggle('heard', agent);
    const isHeard = you && this.#push !== 'up'; // with a button to talk, nobody hears what is said beside it
    byId('person-you').classList.toggle('heard', isHeard);
    if (byId('mute').getAttribute('aria-pressed') === 'false') {
      byId('you-state').textContent = isHeard ? t('Speaking') : t('Mic on');
    }
  }

  // push shows the button to talk in a Push's state; null takes it away. Without a microphone it can only be seen.
  push(state, isUsable = true) {
    this.#push = state;
    byId('push').hidden = state === null;
    if (state === null) return;
    byId('push-button').disabled = !isUsable;
    byId('push-button').setAttribute('aria-pressed', String(state !== 'up'));
    setText(byId('push-hint'), isUsable ? pushHint(state) : t('The microphone is off: unmute it to talk, or type.'));
  }

  muted(isMuted) {
    byId('mute').setAttribute('aria-pressed', String(isMuted));
    byId('mute').textContent = isMuted ? t('Unmute') : t('Mute');
    byId('person-you').classList.toggle('muted', isMuted);
    byId('you-state').textContent = isMuted ? t('Mic off') : t('Mic on');
  }

  // controls enables what needs a connection.
  controls(areOn) {
    for (const id of ['mute', 'end']) byId(id).disabled = !areOn;
  }

  // banner shows a notice under a name from BANNERS, or takes it away when `notice` is null.
  // notice: { text, action: { label, run }, second: { label, run } }
  banner(name, notice) {
    if (notice) this.#banners.set(name, notice);
    else this.#banners.delete(name);
    const top = this.#topBanner();
    byId('banner').hidden = !top;
    setText(byId('banner-text'), top?.text ?? '');
    for (const [id, button] of [['banner-action', top?.action], ['banner-second', top?.second]]) {
      byId(id).hidden = !button;
      setText(byId(id), button?.label ?? '');
    }
  }

  clearBanners() {
    for (const name of [...this.#banners.keys()]) this.banner(name, null);
  }

  // after shows how the interview ended, with the transcript.
  after({ title, text, tone, canRejoin, lines }) {
    byId('after-title').textContent = title;
    byId('after-text').textContent = text;
    byId('after-mark').dataset.tone = tone;
    byId('rejoin').hidden = !canRejoin;
    byId('again').classList.toggle('primary', !canRejoin);
    byId('after-transcript').hidden = lines.length === 0;
    byId('after-lines').replaceChildren(...lines.map((l) => line({ ...l, final: true })));
  }

  #topBanner() {
    return this.#banners.get(BANNERS.find((name) => this.#banners.has(name)));
  }

  #showProgress(progress) {
    byId('progress-text').hidden = !progress;
    if (progress) setText(byId('progress-text'), t('Part {at} of {of}', progress));
    showBar(byId('progress'), progress);
  }

  // #showTopics shows the place in a stage that is held as several topics.
  #showTopics(place, item) {
    byId('item').hidden = !item;
    setText(byId('item'), item);
    byId('topic-text').hidden = !place;
    if (place) setText(byId('topic-text'), t('Topic {at} of {of}', place));
    showBar(byId('topics'), place);
  }

  #showRemaining() {
    const text = remainingText(this.#deadline, Date.now());
    byId('remaining').hidden = !text;
    setText(byId('remaining'), text);
  }
}

// showBar shows a place such as { at: 2, of: 5 } as that many pieces; null takes it away.
function showBar(bar, place) {
  bar.hidden = !place;
  if (!place) return;
  bar.setAttribute('aria-valuemin', '0');
  bar.setAttribute('aria-valuemax', String(place.of));
  bar.setAttribute('aria-valuenow', String(place.at));
  bar.replaceChildren(...Array.from({ length: place.of }, (_, i) => {
    const part = document.createElement('span');
    part.className = i < place.at - 1 ? 'past' : i === place.at - 1 ? 'present' : '';
    return part;
  }));
}

// pushHint is what the button to talk says below itself, by the state of a Push.
function pushHint(state) {
  if (state === 'held') return t('The interviewer hears you. Let go when you have finished.');
  if (state === 'kept') return t('The interviewer hears you. Press again when you have finished.');
  return matchMedia('(hover: hover)').matches
    ? t('The interviewer hears you only while you hold it, or the space bar.')
    : t('The interviewer hears you only while you hold it.');
}

// setText leaves an element alone that says it already, so that a live region does not repeat itself.
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
