// The transcript as data: merges text streams on `lk.transcription` into utterances. No DOM, so that node can test it.
//
// An utterance is one segment (attribute lk.segment_id). The interviewer's arrives as one stream whose chunks are added
// up. The candidate's arrives as a new stream for each interim result, each with the whole text so far. Both follow from
// one rule: the text of a segment is that of its newest stream, from that stream's first chunk on.

export const TOPIC = 'lk.transcription';

const SEGMENT = 'lk.segment_id';
const FINAL = 'lk.transcription_final';
const UNSURE = 'viva.unsure'; // much of the text may be wrong, the recogniser says
const MAX_UTTERANCES = 500;
const MAX_TEXT = 20_000; // UTF-16 units of one utterance

export class Transcript {
  #utterances = new Map(); // by key, in order of first appearance
  #count = 0;
  #onChange;

  // onChange(utterance, removed) is called after each change, with a copy.
  constructor(onChange = () => {}) {
    this.#onChange = onChange;
  }

  // open begins a stream. `info` is its header: { id, attributes }; `who` is 'agent' or 'you'.
  // Returns { add(chunk), close(attributes) }; close takes the attributes as they are at the end (a trailer may add some).
  open(info, who) {
    const attributes = info.attributes ?? {};
    const key = `${who}:${attributes[SEGMENT] || info.id}`;
    const utterance = this.#utterances.get(key) ?? this.#create(key, who);
    utterance.segment = attributes[SEGMENT] ?? '';
    utterance.unsure = attributes[UNSURE] === 'true';
    const turn = ++utterance.newest;
    let started = false;
    const current = () => turn === utterance.newest && !utterance.final && this.#utterances.has(key);
    return {
      add: (chunk) => {
        if (!chunk || !current()) return;
        utterance.text = ((started ? utterance.text : '') + chunk).slice(0, MAX_TEXT);
        started = true;
        this.#changed(utterance);
      },
      close: (end = attributes) => {
        if (!current()) return;
        const final = end?.[FINAL] === 'true' || who === 'agent'; // some agents cannot say final at the end
        if (final && !started) utterance.text = '';
        utterance.final = final;
        if (final && utterance.text.trim() === '') this.#remove(utterance);
        else this.#changed(utterance);
      },
    };
  }

  // say records words that came by no stream: what the candidate typed.
  say(text, who) {
    const utterance = this.#create(`${who}:typed-${this.#count}`, who);
    utterance.text = text.slice(0, MAX_TEXT);
    utterance.final = true;
    this.#changed(utterance);
  }

  // mend puts what the candidate says they said in place of what was understood.
  mend(key, text) {
    const utterance = this.#utterances.get(key);
    if (!utterance) return;
    Object.assign(utterance, { text: text.slice(0, MAX_TEXT), mended: true, unsure: false });
    this.#changed(utterance);
  }

  // lines are the utterances that have words, in the order they began.
  lines() {
    return [...this.#utterances.values()].filter((u) => u.text.trim() !== '').map(copy);
  }

  clear() {
    this.#utterances.clear();
  }

  #create(key, who) {
    const utterance = { key, who, order: this.#count++, text: '', final: false, newest: 0, segment: '', unsure: false, mended: false };
    this.#utterances.set(key, utterance);
    if (this.#utterances.size > MAX_UTTERANCES) this.#remove(this.#utterances.values().next().value);
    return utterance;
  }

  #remove(utterance) {
    this.#utterances.delete(utterance.key);
    this.#onChange(copy(utterance), true);
  }

  #changed(utterance) {
    this.#onChange(copy(utterance), false);
  }
}

function copy({ key, who, order, text, final, segment, unsure, mended }) {
  return { key, who, order, text, final, segment, unsure, mended };
}
