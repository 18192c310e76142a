// The page's own words in the language of the interview. English is the key of every other language, so that what is not
// translated still says something; a test holds that nothing is missing.

import { zh } from './words.zh.mjs';

const TABLES = { zh };

let table = {};

// speakLanguage makes the page speak the language of a tag such as zh-CN, or English where it does not know it.
export function speakLanguage(tag, page = globalThis.document) {
  const [base] = tag.toLowerCase().split('-');
  table = TABLES[base] ?? {};
  if (!page) return;
  page.documentElement.lang = TABLES[base] ? tag : 'en';
  for (const element of page.querySelectorAll('[data-t]')) element.textContent = t(keyOf(element, 'data-t', element.textContent));
  for (const name of ['aria-label', 'placeholder', 'title']) {
    for (const element of page.querySelectorAll(`[data-t-${name}]`)) {
      element.setAttribute(name, t(keyOf(element, `data-t-${name}`, element.getAttribute(name))));
    }
  }
}

// keyOf keeps the English words of an element in its data-t attribute before they are first replaced.
function keyOf(element, attribute, english) {
  if (!element.getAttribute(attribute)) element.setAttribute(attribute, english.replace(/\s+/g, ' ').trim());
  return element.getAttribute(attribute);
}

// t gives English words in the page's language, with {name} replaced by values.name.
export function t(english, values = {}) {
  const words = table[english] ?? english;
  return words.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}
