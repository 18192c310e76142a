// The way into a room: asked from the server, and kept for this tab so that a reload resumes the same interview.

import { t } from './words.mjs';

const KEY = 'viva.ticket';
const CODE = 'viva.code';
// How long after the page was last seen a reload still joins by itself (ms): the interview's grace for a reconnect.
const GRACE = 20_000;

// loadInterviews gives { interviews: [{ id, title, description, locales, vars }], default }.
export async function loadInterviews() {
  return answer(await fetch('/api/interviews', { cache: 'no-store' }));
}

// requestTicket gives { url, token, room, identity }.
export async function requestTicket(body) {
  return answer(await fetch('/api/token', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }));
}

async function answer(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error || t('The server answered {status}.', { status: response.status }));
  return body;
}

// keep stores a ticket with how it was used ({ name, locale, typing }).
export function keep(ticket) {
  store(KEY, { ...ticket, seen: Date.now() });
}

// touch notes that the page is still in the interview.
export function touch() {
  const ticket = read(KEY);
  if (ticket) store(KEY, { ...ticket, seen: Date.now() });
}

export function forget() {
  try {
    sessionStorage.removeItem(KEY);
    sessionStorage.removeItem(CODE);
  } catch { /* storage is off: there is nothing to forget */ }
}

// kept gives the stored ticket and whether it is fresh enough to join without asking, or null.
export function kept(now = Date.now()) {
  const ticket = read(KEY);
  if (!ticket?.token || !ticket.url) return null;
  return { ticket, fresh: now - ticket.seen < GRACE };
}

// keepCode stores what the candidate has written in an interview, so that a reload does not lose it.
export function keepCode(room, draft) {
  store(CODE, { room, draft });
}

// keptCode gives what was written in the interview in this room, or null.
export function keptCode(room) {
  const kept = read(CODE);
  return kept?.room === room ? kept.draft : null;
}

function read(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return null;
  }
}

function store(key, value) {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch { /* storage is off or full: a reload will start anew */ }
}
