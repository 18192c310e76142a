// Push to talk: what fingers, mouse and keys do to the one button, as the page understands it. Pure but for wire.
//
// Held, the button talks until it is let go. A tap shorter than TAP keeps it talking until it is pressed again, for those who
// cannot hold a button down, and for assistive technology, which only clicks.

const TAP = 300; // ms

export class Push {
  #source = null; // what holds the button down: a pointer or a key; others are ignored meanwhile
  #ending = false; // the button is down to end what a tap began
  #since = 0;
  #onChange;
  #now;
  #enabled = false;

  // state is 'up', 'held' or 'kept' (a tap began it).
  state = 'up';

  // onChange(state) is called when it has changed.
  constructor(onChange, now = () => performance.now()) {
    this.#onChange = onChange;
    this.#now = now;
  }

  // enable says whether there is somebody to talk to; without, the button is let go.
  enable(isOn) {
    this.#enabled = isOn;
    if (!isOn) this.cancel();
  }

  down(source) {
    if (!this.#enabled || this.#source !== null) return;
    this.#source = source;
    this.#ending = this.state === 'kept';
    this.#since = this.#now();
    if (!this.#ending) this.#set('held');
  }

  up(source) {
    if (this.#source !== source) return;
    this.#source = null;
    const isTap = this.#now() - this.#since < TAP;
    this.#set(isTap && !this.#ending ? 'kept' : 'up');
  }

  // cancel lets go of everything: the window was left, the part of the interview is over.
  cancel() {
    this.#source = null;
    this.#set('up');
  }

  // lost is for what can no longer be told that it ended, such as a key let go in another window. What a tap began goes on.
  lost() {
    if (this.#source !== null) this.cancel();
  }

  #set(state) {
    if (this.state === state) return;
    this.state = state;
    this.#onChange(state);
  }
}

// Where the space bar has a meaning of its own.
const OWN_SPACE = 'input, select, textarea, dialog, button, a, summary, [contenteditable]';

// wire connects a button, and the space bar wherever it has no other meaning, to a push.
export function wire(push, button, page = document) {
  button.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    button.setPointerCapture(event.pointerId); // to hear of its end wherever that is
    push.down(`pointer ${event.pointerId}`);
  });
  for (const type of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    button.addEventListener(type, (event) => push.up(`pointer ${event.pointerId}`));
  }
  button.addEventListener('click', (event) => {
    if (event.detail !== 0) return; // the pointer has told
    push.down('click'); // of assistive technology: a tap
    push.up('click');
  });
  button.addEventListener('contextmenu', (event) => event.preventDefault()); // a long touch asks for it

  const talks = (event) => event.target === button
    ? event.key === ' ' || event.key === 'Enter'
    : event.key === ' ' && !event.target.closest?.(OWN_SPACE);
  page.addEventListener('keydown', (event) => {
    if (button.disabled || button.offsetParent === null || !talks(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault(); // neither scroll nor click
    if (!event.repeat) push.down(event.key);
  });
  page.addEventListener('keyup', (event) => {
    if (event.target === button && (event.key === ' ' || event.key === 'Enter')) event.preventDefault();
    push.up(event.key);
  });
  page.defaultView.addEventListener('blur', () => push.lost());
  page.addEventListener('visibilitychange', () => page.hidden && push.lost());
}
