// The editor of the candidate's code: a text area that indents, and a draft that is told after a pause. Pure but for Editor.
//
// It is a plain text area and no editor library: those of today come as dozens of modules that need a bundler, which the
// set-up of this page does without, and nothing here needs colours.

const STEP = '    ';
const PAUSE = 400; // ms without a key after which a draft is told
const PATIENCE = 2_000; // ms after which it is told although keys go on

// LIMIT of what is sent (bytes): LiveKit advises against reliable packets of more than 15 KiB, headers included.
export const LIMIT = 12 * 1024;

// encode gives a draft as the interviewer takes it, or null when it is longer than LIMIT.
export function encode({ text, language }) {
  const payload = new TextEncoder().encode(JSON.stringify({ text, language }));
  return payload.length <= LIMIT ? payload : null;
}

// An edit replaces from…to by text and then selects start…end.

// indent moves the selected lines by one step; without a selection it fills up to the next step.
export function indent(value, start, end) {
  if (start === end) {
    const column = start - lineStart(value, start);
    const text = STEP.slice(column % STEP.length);
    return { from: start, to: end, text, start: start + text.length, end: start + text.length };
  }
  return eachLine(value, start, end, (line) => (line === '' ? line : STEP + line));
}

// outdent takes a step away from the lines that the selection touches.
export function outdent(value, start, end) {
  return eachLine(value, start, end, (line) => line.replace(/^(\t| {1,4})/, ''));
}

function eachLine(value, start, end, change) {
  const from = lineStart(value, start);
  const last = end > start && value[end - 1] === '\n' ? end - 1 : end; // a line is not touched by what ends before it
  const next = value.indexOf('\n', last);
  const to = next < 0 ? value.length : next;
  const before = value.slice(from, to).split('\n');
  const after = before.map(change);
  const text = after.join('\n');
  if (start === end) {
    const at = Math.max(from, start + after[0].length - before[0].length);
    return { from, to, text, start: at, end: at };
  }
  return { from, to, text, start: from, end: from + text.length };
}

// newline begins a line that is indented like the present one, and a step more after what opens a block.
export function newline(value, start, end) {
  const line = value.slice(lineStart(value, start), start);
  const [spaces] = /^[ \t]*/.exec(line);
  const text = `\n${spaces}${/[:{([]\s*$/.test(line) ? STEP : ''}`;
  return { from: start, to: end, text, start: start + text.length, end: start + text.length };
}

function lineStart(value, at) {
  return value.lastIndexOf('\n', at - 1) + 1;
}

// Pause calls back when changes have paused, and from time to time while they do not.
export class Pause {
  #run;
  #timer;
  #since = null; // when the first change came that was not told

  constructor(run) {
    this.#run = run;
  }

  changed(now = Date.now()) {
    this.#since ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), Math.max(0, Math.min(PAUSE, this.#since + PATIENCE - now)));
  }

  // flush tells at once what was not told yet.
  flush() {
    if (this.#since === null) return;
    this.cancel();
    this.#run();
  }

  cancel() {
    clearTimeout(this.#timer);
    this.#since = null;
  }
}

// Editor connects a text area and a choice of language to onDraft({ text, language }), which is called after a pause.
// Tab and Shift+Tab indent, unless Esc was pressed before: then they leave, as everywhere else.
export class Editor {
  #area;
  #language;
  #pause;
  #isLeaving = false;

  constructor(area, language, onDraft) {
    this.#area = area;
    this.#language = language;
    this.#pause = new Pause(() => onDraft(this.draft));
    area.addEventListener('input', () => this.#pause.changed());
    language.addEventListener('change', () => this.#pause.changed());
    area.addEventListener('keydown', (event) => this.#key(event));
    area.addEventListener('beforeinput', (event) => this.#input(event));
    area.addEventListener('blur', () => { this.#isLeaving = false; });
  }

  get draft() {
    return { text: this.#area.value, language: this.#language.value };
  }

  // load puts in a draft without telling it.
  load({ text, language }) {
    this.#pause.cancel();
    this.#area.value = text;
    this.#language.value = language;
    if (this.#language.selectedIndex < 0) this.#language.selectedIndex = 0;
  }

  flush() {
    this.#pause.flush();
  }

  #key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Tab' && this.#isLeaving) return;
    if (event.key !== 'Shift') this.#isLeaving = event.key === 'Escape';
    if (event.key === 'Tab') this.#replace(event, event.shiftKey ? outdent : indent);
  }

  // A new line is not taken from its key, because keyboards on a screen do not tell which key it was.
  #input(event) {
    if (event.inputType === 'insertLineBreak' && !event.isComposing) this.#replace(event, newline);
  }

  // #replace does what change says instead of what the browser was about to do.
  #replace(event, change) {
    event.preventDefault();
    const { from, to, text, start, end } = change(this.#area.value, this.#area.selectionStart, this.#area.selectionEnd);
    this.#area.setSelectionRange(from, to);
    // The command is the one way that keeps the browser's undo; where it is gone, undo is what is lost.
    const isDone = from === to && text === '' || document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
    if (!isDone) {
      this.#area.setRangeText(text, from, to, 'end');
      this.#pause.changed();
    }
    this.#area.setSelectionRange(start, end);
  }
}
