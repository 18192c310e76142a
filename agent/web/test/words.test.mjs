import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { remainingText } from '../static/js/interview.mjs';
import { localeOf } from '../static/js/lobby.mjs';
import { speakLanguage, t } from '../static/js/words.mjs';
import { zh } from '../static/js/words.zh.mjs';

const folder = new URL('../static/', import.meta.url);

// said is every text of the page that has to be translated: t('…') in the scripts, and what index.html marks with data-t.
function said() {
  const found = new Set();
  const literal = String.raw`'(?:[^'\\]|\\.)*'`;
  for (const file of readdirSync(new URL('js/', folder))) {
    const script = readFileSync(new URL(`js/${file}`, folder), 'utf8');
    for (const [, words] of script.matchAll(new RegExp(String.raw`\bt\(\s*(${literal}(?:\s*\+\s*${literal})*)`, 'g'))) {
      found.add([...words.matchAll(new RegExp(literal, 'g'))].map(([part]) => part.slice(1, -1)).join(''));
    }
  }
  const page = readFileSync(new URL('index.html', folder), 'utf8');
  for (const [, words] of page.matchAll(/ data-t(?: [^>]*)?>([^<]*)</g)) found.add(words.replace(/\s+/g, ' ').trim());
  for (const [tag] of page.matchAll(/<[^>]+>/g)) {
    for (const [, name] of tag.matchAll(/ data-t-([a-z-]+)/g)) found.add(new RegExp(` ${name}="([^"]*)"`).exec(tag)[1]);
  }
  return found;
}

test('everything the page says has Chinese words, and no other is there', () => {
  const all = said();
  assert.ok(all.size > 80, `only ${all.size} texts were found`);
  assert.deepEqual([...all].filter((words) => !zh[words]), [], 'without Chinese');
  assert.deepEqual(Object.keys(zh).filter((words) => !all.has(words)), [], 'not said any more');
  for (const [english, chinese] of Object.entries(zh)) {
    const holes = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
    assert.deepEqual(holes(chinese), holes(english), english);
  }
});

test('the page speaks the language of the interview, and English where it does not know it', (context) => {
  context.after(() => speakLanguage('en'));
  speakLanguage('zh-CN');
  assert.equal(remainingText(300_000, 0), '大约还剩 5 分钟');
  assert.equal(t('Not among the words'), 'Not among the words');
  speakLanguage('vi');
  assert.equal(remainingText(300_000, 0), 'About 5 minutes left');
});

test('the language offered first is one that the candidate prefers', () => {
  for (const [locales, preferred, want] of [
    [['en', 'zh'], ['', null, 'zh-CN', 'en'], 'zh'],
    [['en', 'zh'], ['de', 'fr'], 'en'],
    [['zh', 'en'], ['en-GB'], 'en'],
    [['pt', 'pt-BR'], ['pt-br'], 'pt-BR'],
    [[], ['en'], ''],
  ]) assert.equal(localeOf(locales, preferred), want, String(locales));
});
