// The candidate's own report: what the interviewer sends when it is made, and the small panel that shows it.

import { t } from './words.mjs';

export const TOPIC = 'viva.report'; // a text stream of JSON; an empty packet asks for it again
export const LIMIT = 4 * 1024 * 1024; // characters that are read

// reportOf reads the report: its summary to be heard, and where the whole of it is, or '' for nowhere. Anything else is null.
export function reportOf(text) {
  let sent;
  try {
    sent = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof sent?.status !== 'string' || typeof sent.spoken !== 'string') return null;
  return { status: sent.status, spoken: sent.spoken.trim(), link: linkOf(sent.link) };
}

// linkOf gives an address that a browser opens as a page of its own, or ''.
function linkOf(link) {
  try {
    const { protocol, href } = new URL(link);
    return protocol === 'https:' || protocol === 'http:' ? href : '';
  } catch {
    return '';
  }
}

export class ReportPanel {
  #panel;
  #byId;

  constructor(byId = (id) => document.getElementById(id)) {
    this.#byId = byId;
    this.#panel = byId('my-report');
  }

  // begin is for another interview.
  begin() {
    this.#panel.hidden = true;
  }

  // show takes what reportOf gives.
  show({ spoken, link }) {
    this.#byId('my-report-spoken').textContent = spoken;
    this.#byId('my-report-spoken').hidden = !spoken;
    this.#byId('my-report-link').hidden = !link;
    if (link) this.#byId('my-report-link').setAttribute('href', link);
    this.#byId('my-report-later').hidden = Boolean(link);
    this.#byId('my-report-title').textContent = t('Your report is ready');
    this.#panel.hidden = false;
  }
}
