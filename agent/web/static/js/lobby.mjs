// What can be chosen before an interview: which one, in which language, and what it lets candidates set.

import { difficultyName } from './interview.mjs';
import { t } from './words.mjs';

const byId = (id) => document.getElementById(id);

export class Lobby {
  #all = [];
  #wanted; // what the page's address asks for, by name
  #onLocale;

  // onLocale(tag) is called when another language is chosen; wanted is a URLSearchParams.
  constructor(wanted, onLocale) {
    this.#wanted = wanted;
    this.#onLocale = onLocale;
    byId('interview').addEventListener('change', () => this.#interviewChosen());
    byId('locale').addEventListener('change', () => onLocale(this.locale));
  }

  // fill shows the interviews; preselected is an id.
  fill(all, preselected) {
    this.#all = all;
    const wanted = this.#wanted.get('interview');
    const first = all.some((i) => i.id === wanted) ? wanted : preselected;
    byId('interview').replaceChildren(...all.map(({ id, title }) => new Option(title || id, id, false, id === first)));
    this.#interviewChosen();
  }

  // locale is the language of the interview, '' where there is only that of the interview.
  get locale() {
    return byId('locale').value;
  }

  // choice is what the form says, as the body of a request for a ticket.
  get choice() {
    const vars = {};
    for (const { name } of this.#interview?.vars ?? []) {
      const value = byId(fieldId(name)).value.trim();
      if (value) vars[name] = value;
    }
    return {
      interview: byId('interview').value,
      locale: this.locale || undefined,
      vars: Object.keys(vars).length > 0 ? vars : undefined,
      consent: this.#interview?.recorded && byId('record').checked ? { recording: true } : undefined,
    };
  }

  // retranslate shows the labels in the page's language, and keeps what was chosen.
  retranslate() {
    const { vars = {} } = this.choice;
    this.#showVars(vars);
  }

  get #interview() {
    return this.#all.find((i) => i.id === byId('interview').value);
  }

  #interviewChosen() {
    const interview = this.#interview;
    byId('interview-about').textContent = interview?.description ?? '';
    const locales = interview?.locales ?? [];
    const present = localeOf(locales, [this.locale, this.#wanted.get('locale'), ...navigator.languages]);
    byId('locale').replaceChildren(...locales.map((tag) => new Option(languageName(tag), tag, false, tag === present)));
    byId('locale-field').hidden = locales.length < 2;
    byId('record-field').hidden = !interview?.recorded;
    byId('record').checked = false; // consent is for one interview, and nobody's default
    this.#showVars(Object.fromEntries(this.#wanted));
    this.#onLocale(this.locale);
  }

  #showVars(values) {
    const vars = this.#interview?.vars ?? [];
    byId('vars').hidden = vars.length === 0;
    byId('vars').replaceChildren(...vars.map((v) => field(v, values[v.name])));
  }
}

// localeOf gives the first of locales that somebody who prefers these languages, best first, understands; else the first.
export function localeOf(locales, preferred) {
  const base = (tag) => tag.toLowerCase().split('-')[0];
  for (const tag of preferred.filter(Boolean)) {
    const found = locales.find((l) => l.toLowerCase() === tag.toLowerCase()) ?? locales.find((l) => base(l) === base(tag));
    if (found) return found;
  }
  return locales[0] ?? '';
}

const fieldId = (name) => `var-${name}`;

function field({ name, description, default: standard = '', choices = [] }, value) {
  const box = document.createElement('div');
  box.className = 'field';
  const label = document.createElement('label');
  label.htmlFor = fieldId(name);
  label.textContent = labelOf(name);
  const open = name === 'persona' ? t('I choose when it begins') : t('The interviewer chooses');
  const input = choices.length > 0 ? choiceOf(named(name, choices), standard, value, open) : textOf(standard, value);
  input.id = fieldId(name);
  box.append(label, input);
  if (description) {
    const hint = document.createElement('p');
    hint.id = `${fieldId(name)}-about`;
    hint.className = 'hint';
    hint.textContent = description;
    input.setAttribute('aria-describedby', hint.id);
    box.append(hint);
  }
  return box;
}

// named gives the choices of difficulty the page's own words, unless the interview has some.
function named(name, choices) {
  if (name !== 'difficulty') return choices;
  return choices.map(({ value, title }) => ({ value, title: title || difficultyName(value) }));
}

// choiceOf has an empty choice first, unless the interview's standard is one of the choices.
function choiceOf(choices, standard, value, open) {
  const select = document.createElement('select');
  const isOpen = !choices.some((c) => c.value === standard);
  if (isOpen) select.append(new Option(open, ''));
  select.append(...choices.map((c) => new Option(c.title || c.value, c.value)));
  select.value = choices.some((c) => c.value === value) ? value : isOpen ? '' : standard;
  return select;
}

function textOf(standard, value) {
  const input = document.createElement('input');
  input.type = 'text';
  input.maxLength = 1000;
  input.autocomplete = 'off';
  input.placeholder = standard;
  input.value = value ?? '';
  return input;
}

function labelOf(name) {
  switch (name) {
    case 'company': return t('Company');
    case 'problem': return t('Problem');
    case 'difficulty': return t('Difficulty');
    case 'persona': return t('Interviewer');
    case 'role': return t('Role');
    default: return name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[_.-]+/g, ' ');
  }
}

function languageName(tag) {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag);
  } catch {
    return tag; // no language that this browser knows
  }
}
