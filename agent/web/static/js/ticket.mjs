// The way into a room: asked from the server, and kept for this tab so that a reload resumes the same interview.

const KEY = 'viva.ticket';
// How long after the page was last seen a reload still joins by itself (ms): the interview's grace for a reconnect.
const GRACE = 20_000;

// loadInterviews gives { interviews: [{ id, title, description }], default }.
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
  if (!response.ok) throw new Error(body.error || `The server answered ${response.status}.`);
  return body;
}

// keep stores a ticket with how it was used ({ name, typing }).
export function keep(ticket) {
  store({ ...ticket, seen: Date.now() });
}

// touch notes that the page is still in the interview.
export function touch() {
  const ticket = read();
  if (ticket) store({ ...ticket, seen: Date.now() });
}

export function forget() {
  try {
    sessionStorage.removeItem(KEY);
  } catch { /* storage is off: there is nothing to forget */ }
}

// kept gives the stored ticket and whether it is fresh enough to join without asking, or null.
export function kept(now = Date.now()) {
  const ticket = read();
  if (!ticket?.token || !ticket.url) return null;
  return { ticket, fresh: now - ticket.seen < GRACE };
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

function store(ticket) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ticket));
  } catch { /* storage is off or full: a reload will start anew */ }
}
