// Lets the candidate put right what was understood of their latest words, as long as they have said nothing after them: the interviewer
// then answers what they write, as if it had heard that.

import { t } from './words.mjs';

export class Mending {
  #send;
  #line = null; // the list item whose words can be put right
  #order = -1;

  // send(utterance, text) resolves to whether the interviewer was told.
  constructor(send) {
    this.#send = send;
  }

  // heed takes a line that is shown. A later one of the candidate's ends what was offered for the one before.
  heed(utterance, line) {
    if (utterance.who !== 'you' || utterance.order < this.#order) return;
    this.end();
    this.#order = utterance.order;
    if (utterance.final && utterance.segment && !utterance.mended) this.#offer(utterance, line);
  }

  // end takes the offer back.
  end() {
    this.#line?.querySelector('.mend')?.remove();
    this.#line?.querySelector('.words')?.removeAttribute('hidden');
    this.#line = null;
    this.#order = -1;
  }

  #offer(utterance, line) {
    this.#line = line;
    const box = document.createElement('div');
    box.className = 'mend';
    const open = button(utterance.unsure ? t('I may have misheard: put it right') : t('Put it right'), 'quiet');
    open.addEventListener('click', () => this.#edit(utterance, box));
    box.append(open);
    line.append(box);
  }

  #edit(utterance, box) {
    const form = document.createElement('form');
    const field = document.createElement('textarea');
    field.value = utterance.text;
    field.rows = 3;
    field.maxLength = 4000;
    field.setAttribute('aria-label', t('What you said'));
    const send = button(t('That is what I said'), 'primary');
    send.type = 'submit';
    const back = button(t('Leave it'), 'quiet');
    const close = () => this.#offerAgain(utterance);
    back.addEventListener('click', close);
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') close();
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (!text || text === utterance.text) {
        close();
        return;
      }
      send.disabled = true;
      send.disabled = await this.#send(utterance, text); // else it can be sent again
    });
    form.append(field, send, back);
    box.replaceChildren(form);
    this.#line.querySelector('.words').hidden = true;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  #offerAgain(utterance) {
    const line = this.#line;
    this.end();
    this.#order = utterance.order;
    this.#offer(utterance, line);
    line.querySelector('.mend button').focus();
  }
}

function button(label, kind) {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = `button ${kind}`;
  element.textContent = label;
  return element;
}
