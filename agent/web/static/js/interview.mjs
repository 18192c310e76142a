// Reads what the interviewer publishes as participant attributes. Pure, so that node can test it.

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
  if (seconds <= 0) return 'Time for this part is up';
  if (seconds < 60) return 'Less than a minute left';
  const minutes = Math.round(seconds / 60);
  return minutes === 1 ? 'About a minute left' : `About ${minutes} minutes left`;
}

export const AGENT_STATES = {
  initializing: 'Getting ready',
  idle: 'Waiting',
  listening: 'Listening',
  thinking: 'Thinking',
  speaking: 'Speaking',
};
