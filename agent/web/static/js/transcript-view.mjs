// Shows a Transcript. Finished utterances go into a log that screen readers follow; unfinished ones stay in a list of
// their own that is hidden from them, so that each utterance is announced once.

import { Mending } from './mending.mjs';
import { t } from './words.mjs';

export class TranscriptView {
  #log;
  #now;
  #empty;
  #scroller;
  #items = new Map(); // by utterance key
  #mending;

  // mend(utterance, text) tells the interviewer what the candidate said in place of what was understood; see Mending.
  constructor({ log, now, empty, scroller, mend }) {
    this.#mending = new Mending(mend);
    this.#log = log;
    this.#now = now;
    this.#empty = empty;
    this.#scroller = scroller;
  }

  show(utterance, removed) {
    const follow = this.#atEnd();
    if (removed) this.#drop(utterance.key);
    else this.#put(utterance);
    this.#empty.hidden = this.#items.size > 0;
    if (follow) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  clear() {
    this.#mending.end();
    this.#items.clear();
    this.#log.replaceChildren();
    this.#now.replaceChildren();
    this.#empty.hidden = false;
  }

  #put(utterance) {
    const before = this.#items.get(utterance.key);
    if (before && before.parentElement === this.#now && !utterance.final) {
      before.querySelector('.words').textContent = utterance.text;
      return;
    }
    before?.remove();
    const item = line(utterance);
    this.#items.set(utterance.key, item);
    insertInOrder(utterance.final ? this.#log : this.#now, item);
    this.#mending.heed(utterance, item);
  }

  #drop(key) {
    this.#items.get(key)?.remove();
    this.#items.delete(key);
  }

  // A person who has scrolled up to read is left there.
  #atEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < 48;
  }
}

// line makes the list item of one utterance.
export function line({ who, text, final, order, unsure, mended }) {
  const item = document.createElement('li');
  item.className = `line ${who}${final ? '' : ' interim'}`;
  item.dataset.order = order;
  const name = document.createElement('span');
  name.className = 'who';
  name.textContent = who === 'agent' ? t('Interviewer') : mended ? t('You, put right') : unsure ? t('You, as I heard it') : t('You');
  if (unsure) item.classList.add('unsure');
  const words = document.createElement('p');
  words.className = 'words';
  words.textContent = text;
  item.append(name, words);
  return item;
}

function insertInOrder(list, item) {
  let next = null;
  for (let at = list.lastElementChild; at && Number(at.dataset.order) > Number(item.dataset.order);) {
    next = at;
    at = at.previousElementSibling;
  }
  list.insertBefore(item, next);
}
