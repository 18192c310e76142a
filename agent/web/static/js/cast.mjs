// Who interviews, where the candidate may choose, and the documents that the questions take up. What the interviewer sends is
// read by pure functions, so that node can test them; Cast shows it.

import { t } from './words.mjs';

export const DOCUMENT_LIMIT = 2 * 1024 * 1024; // bytes; what interviewers take
const KINDS = ['resume', 'job_description'];

// castOf reads the interviewer's attributes.
export function castOf(attributes = {}) {
  return {
    menu: attributes['viva.personas'] === 'on', // the candidate may choose now
    persona: attributes['viva.persona'] || '', // the name of who interviews
    materials: attributes['viva.materials'] === 'on', // documents can be handed in
  };
}

// personasOf reads the menu, JSON such as [{"id": "hr", "name": "HR"}]; null when it is none.
export function personasOf(payload) {
  const list = parsed(payload);
  if (!Array.isArray(list)) return null;
  const found = list.filter((p) => typeof p?.id === 'string' && p.id && typeof p?.name === 'string' && p.name);
  return found.length > 0 ? found.slice(0, 12).map(({ id, name }) => ({ id, name })) : null;
}

// receiptOf reads what became of a document; null when it is no such packet.
export function receiptOf(payload) {
  const receipt = parsed(payload);
  if (typeof receipt?.ok !== 'boolean' || !KINDS.includes(receipt.kind)) return null;
  return { kind: receipt.kind, ok: receipt.ok, error: typeof receipt.error === 'string' ? receipt.error : '' };
}

// noticeOf reads what the interviewer could not take of what the page sent, in words; null when it is no such packet.
export function noticeOf(payload) {
  const notice = parsed(payload);
  if (typeof notice?.text !== 'string' || !notice.text) return null;
  return { kind: typeof notice.kind === 'string' ? notice.kind : '', text: notice.text.slice(0, 400) };
}

function parsed(payload) {
  try {
    return JSON.parse(new TextDecoder().decode(payload));
  } catch {
    return null;
  }
}

// Cast is the part of the page about them.
//   onChoose(id)              the candidate chose
//   onDocument(kind, file)    the candidate handed something in; resolves to whether it was sent
export class Cast {
  #byId;
  #onChoose;
  #onDocument;
  #personas = null;
  #state = castOf();

  constructor({ onChoose, onDocument }, byId = (id) => document.getElementById(id)) {
    this.#byId = byId;
    this.#onChoose = onChoose;
    this.#onDocument = onDocument;
    for (const kind of KINDS) {
      byId(`material-${kind}`).addEventListener('change', (event) => this.#handIn(kind, event.target));
    }
  }

  // begin is for another interview.
  begin() {
    this.#personas = null;
    for (const kind of KINDS) {
      this.#byId(`material-${kind}`).value = '';
      this.#tell(kind, '');
    }
    this.show(castOf());
  }

  // show takes what castOf gives.
  show(state) {
    this.#state = state;
    this.#byId('choose').hidden = !state.menu || !this.#personas;
    this.#byId('materials').hidden = !state.materials;
    this.#byId('persona-name').textContent = state.persona;
  }

  // personas takes what personasOf gives.
  personas(list) {
    this.#personas = list;
    this.#byId('personas').replaceChildren(...list.map(({ id, name }) => this.#button(id, name)));
    this.show(this.#state);
  }

  // needsMenu reports whether the menu should be shown and was missed.
  get needsMenu() {
    return this.#state.menu && !this.#personas;
  }

  // received takes what receiptOf gives.
  received({ kind, ok, error }) {
    this.#tell(kind, ok ? t('The interviewer has read it.') : `${t('It was not taken.')} ${error}`.trim());
  }

  #button(id, name) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button small';
    button.textContent = name;
    button.addEventListener('click', () => this.#choose(id));
    return button;
  }

  async #choose(id) {
    const buttons = [...this.#byId('personas').children];
    for (const button of buttons) button.disabled = true; // until it is known that nothing was sent
    if (!await this.#onChoose(id)) for (const button of buttons) button.disabled = false;
  }

  async #handIn(kind, input) {
    const [file] = input.files;
    if (!file) return;
    if (file.size > DOCUMENT_LIMIT) {
      this.#tell(kind, t('It is larger than 2 MB. Make it smaller, or hand in plain text.'));
      return;
    }
    this.#tell(kind, t('Being read…'));
    if (!await this.#onDocument(kind, file)) this.#tell(kind, t('It could not be sent. Try again when connected.'));
  }

  #tell(kind, text) {
    this.#byId(`material-${kind}-state`).textContent = text;
  }
}
