// The candidate's side of a stage that takes code: the task, the editor, and which half of the call shows where there is no
// room for both. Decides nothing.

import { Editor, LIMIT } from './editor.mjs';
import { difficultyName } from './interview.mjs';
import { t } from './words.mjs';

const byId = (id) => document.getElementById(id);
const EMPTY = { text: '', language: 'pseudocode' };

export class Workspace {
  #editor;
  #isOpen = false;

  // onDraft({ text, language }) is called when the candidate has paused.
  constructor(onDraft) {
    this.#editor = new Editor(byId('code'), byId('code-language'), onDraft);
    for (const pane of ['talk', 'work']) byId(`pane-${pane}`).addEventListener('click', () => this.#show(pane));
  }

  // begin is for another interview; draft is what was written in it before, or null.
  begin(draft) {
    this.#editor.load(draft ?? EMPTY);
    this.sent('');
    this.task(null);
    this.open(false);
  }

  open(isOpen) {
    if (this.#isOpen !== isOpen) this.#show('talk');
    this.#isOpen = isOpen;
    byId('call').classList.toggle('coding', isOpen);
    document.body.classList.toggle('wide', isOpen);
    byId('work').hidden = byId('panes').hidden = !isOpen;
  }

  // task shows what taskOf gives.
  task(task) {
    byId('task').hidden = !task;
    byId('task-title').textContent = task?.title || t('Task');
    byId('task-difficulty').textContent = difficultyName(task?.difficulty ?? '');
    byId('task-text').textContent = task?.text ?? '';
  }

  get hasTask() {
    return !byId('task').hidden;
  }

  get draft() {
    return this.#editor.draft;
  }

  // flush tells at once what was written.
  flush() {
    this.#editor.flush();
  }

  // sent takes what became of the last draft: 'told', 'kept' until the connection is back, 'long', or ''.
  sent(what) {
    byId('code-problem').hidden = what !== 'long';
    byId('code-problem').textContent = what !== 'long' ? ''
      : t('This is more than the {limit} KiB that the interviewer can read, so it was not sent. Make it shorter.', { limit: LIMIT / 1024 });
    byId('code-state').textContent = stateText(what);
  }

  #show(pane) {
    byId('call').dataset.pane = pane;
    for (const name of ['talk', 'work']) byId(`pane-${name}`).setAttribute('aria-pressed', String(name === pane));
  }
}

function stateText(what) {
  switch (what) {
    case 'told': return t('The interviewer sees this.');
    case 'kept': return t('Sent as soon as the connection is back.');
    default: return '';
  }
}
