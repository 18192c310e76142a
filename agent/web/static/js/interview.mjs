// Reads what the interviewer publishes: participant attributes, and the task. Pure, so that node can test it.

import { t } from './words.mjs';

const SECONDS = 1000; // ms

// interviewOf gives the state of the interview in a page's words; missing attributes leave defaults.
export function interviewOf(attributes = {}, now = Date.now()) {
  return {
    agent: attributes['lk.agent.state'] || 'initializing',
    stage: attributes['viva.stage'] || '',
    title: attributes['viva.stage_title'] || '',
    progress: progressOf(attributes['viva.progress']),
    deadline: deadlineOf(attributes['viva.deadline'], now),
    done: attributes['viva.state'] === 'done',
    manual: attributes['viva.turn'] === 'manual', // the candidate holds a button to talk
    phase: progressOf(attributes['viva.phase']), // the place among the topics of a stage that is held as several
    item: attributes['viva.item'] || '', // the topic's name
    code: attributes['viva.code'] === 'on', // the stage takes code
    recording: attributes['viva.recording'] === 'on', // the sound is kept
  };
}

// progressOf reads "2/3"; anything else is null.
export function progressOf(text) {
  const match = /^(\d{1,3})\/(\d{1,3})$/.exec(text ?? '');
  if (!match) return null;
  const [at, of] = [Number(match[1]), Number(match[2])];
  return of > 0 && at <= of ? { at, of } : null;
}

// deadlineOf gives the time (ms since 1970) a stage ends, or null. The value is either the seconds left, or a point in
// time: an RFC 3339 date, or seconds or milliseconds since 1970.
export function deadlineOf(text, now) {
  if (!text) return null;
  const value = Number(text);
  if (Number.isNaN(value)) {
    const date = Date.parse(text);
    return Number.isNaN(date) ? null : date;
  }
  if (value > 1e12) return value;
  if (value > 1e9) return value * SECONDS;
  return now + value * SECONDS;
}

// remainingText says how much time is left, coarsely: a running clock makes candidates nervous.
export function remainingText(deadline, now) {
  if (deadline === null) return '';
  const seconds = Math.round((deadline - now) / SECONDS);
  if (seconds <= 0) return t('Time for this part is up');
  if (seconds < 60) return t('Less than a minute left');
  const minutes = Math.round(seconds / 60);
  return minutes === 1 ? t('About a minute left') : t('About {minutes} minutes left', { minutes });
}

// agentState is the interviewer's state in words.
export function agentState(state) {
  switch (state) {
    case 'initializing': return t('Getting ready');
    case 'idle': return t('Waiting');
    case 'listening': return t('Listening');
    case 'thinking': return t('Thinking');
    case 'speaking': return t('Speaking');
    default: return state;
  }
}

// taskOf reads the task, JSON with the strings id, title, text and difficulty; without a text it is null.
export function taskOf(payload) {
  let task;
  try {
    task = JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return null;
  }
  const text = (value) => (typeof value === 'string' ? value.trim() : '');
  if (!text(task?.text)) return null;
  return { id: text(task.id), title: text(task.title), text: text(task.text), difficulty: text(task.difficulty) };
}

export function difficultyName(level) {
  switch (level) {
    case 'easy': return t('Easy');
    case 'medium': return t('Medium');
    case 'hard': return t('Hard');
    default: return level;
  }
}
