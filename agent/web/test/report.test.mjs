import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ReportPanel, reportOf } from '../static/js/report.mjs';

test('R002-55: the report as the interviewer sends it', () => {
  assert.deepEqual(reportOf(JSON.stringify({ status: 'complete', spoken: ' Well done. ', link: 'https://viva.test/r/x', report: { version: 'viva.report/1' } })),
    { status: 'complete', spoken: 'Well done.', link: 'https://viva.test/r/x' });
  assert.deepEqual(reportOf('{"status":"unscored","spoken":""}'), { status: 'unscored', spoken: '', link: '' });
  for (const bad of ['', '{', 'null', '[]', '7', '{"spoken":"x"}', '{"status":"complete","spoken":5}']) assert.equal(reportOf(bad), null, bad);
  for (const link of ['javascript:alert(1)', '/r/x', 'data:text/html,x', 5, null]) {
    assert.equal(reportOf(JSON.stringify({ status: 'complete', spoken: '', link })).link, '', String(link));
  }
});

// elements stands in for a page: elements with what the panel uses.
function elements() {
  const all = new Map();
  return (id) => {
    if (!all.has(id)) {
      all.set(id, { hidden: true, textContent: '', attributes: {}, setAttribute(name, value) { this.attributes[name] = value; } });
    }
    return all.get(id);
  };
}

test('R002-56: the panel shows the summary and the link, and goes with the interview', () => {
  const byId = elements();
  const panel = new ReportPanel(byId);
  panel.show({ status: 'complete', spoken: 'Overall you reached 4 of 5. <b>', link: 'https://viva.test/r/x' });
  assert.equal(byId('my-report').hidden, false);
  assert.equal(byId('my-report-spoken').textContent, 'Overall you reached 4 of 5. <b>');
  assert.equal(byId('my-report-link').hidden, false);
  assert.equal(byId('my-report-link').attributes.href, 'https://viva.test/r/x');
  assert.equal(byId('my-report-later').hidden, true);
  panel.show({ status: 'partial', spoken: 'Thank you.', link: '' });
  assert.equal(byId('my-report-link').hidden, true);
  assert.equal(byId('my-report-later').hidden, false);
  panel.begin();
  assert.equal(byId('my-report').hidden, true);
});
