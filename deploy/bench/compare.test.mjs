import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { distribution, ratioBars, render, scenarios, warnings } from './compare.mjs';

const of = (count, p50, p95 = p50, min = p50) => ({ count, min_ms: min, p50_ms: p50, p95_ms: p95 });

function report({ response = of(6, 1500), stop = of(4, 800), late = 0, rss = 100 } = {}) {
  return {
    machine: { cpus: 2 }, settings: { rooms: 1 }, rooms_completed: 1,
    measures: {
      response, interruption_to_silence: stop, response_after_interruption: of(4, 1600),
      dispatch_to_joined: of(1, 500), dispatch_to_first_voice: { count: 0 },
    },
    counters: { turns: 10, answers_missing: 1, interruptions: 4, interruptions_ignored: 2, talk_overs: 3, gaps: 5 },
    tool: { frames_sent: 1000, frames_late: late },
    processes: [{ rss_start_mib: rss, rss_max_mib: 2 * rss, rss_per_room_mib: rss, cpu_per_room_cores: 0.25 }, { rss_start_mib: 9999 }],
  };
}

const run = (variant, round, options, rooms = 1) => ({ variant, rooms, round, load: 0.2, report: report(options) });

test('rounds are put together: medians by count, the highest p95, the lowest minimum', () => {
  const reports = [report({ response: of(2, 1000, 1100, 900) }), report({ response: of(6, 2000, 2500, 1200) }), report({ response: { count: 0 } })];
  assert.deepEqual(distribution(reports, 'response'), { count: 8, min: 900, p50: 1750, p95: 2500 });
  assert.equal(distribution([report({ response: { count: 0 } })], 'response'), null);
});

test('counts are added up, and only the worker’s process is looked at', () => {
  const { peer } = scenarios([run('peer', 1), run('peer', 2, { rss: 300 })])[1];
  assert.equal(peer.counters.turns, 20);
  assert.equal(peer.counters.interruptions_ignored, 4);
  assert.equal(peer.rooms_completed, 2);
  assert.deepEqual(peer.worker, { rss_start_mib: 100, rss_max_mib: 600, rss_per_room_mib: 300, cpu_per_room_cores: 0.25 });
});

test('bars are met at the limit and missed above it', () => {
  const bars = (p50, p95) => ratioBars(scenarios([run('peer', 1, { response: of(6, 1000) }), run('viva', 1, { response: of(6, p50, p95) })])[1]);
  assert.match(bars(550, 600)[0], /^met: .* 0\.55$/);
  assert.match(bars(551, 600)[0], /^MISSED/);
  assert.match(bars(500, 575)[1], /^met/);
  assert.match(bars(500, 576)[1], /^MISSED: .* 1\.15$/);
});

test('answers that cannot be ones decide nothing', () => {
  const runs = [run('peer', 1, { response: of(6, 1600, 3600, 700) }), run('viva', 1, { response: of(6, 800) })];
  const lines = ratioBars(scenarios(runs)[1]);
  assert.match(lines[0], /^UNDECIDED: .* 0\.50$/);
  assert.equal(lines.length, 2);
});

test('the comparison with the fastest answer takes the better of the peer’s two modes', () => {
  const runs = [run('peer', 1, { response: of(6, 1600, 3600, 1300) }), run('peer-vad', 1, { response: of(6, 1800, 1900, 1250) }), run('viva', 1, { response: of(6, 1000) })];
  assert.match(ratioBars(scenarios(runs)[1])[2], /0\.80 × .*\(1250 ms\)/);
});

test('the table: a column for each variant, a dash for what nobody measured, no bars with many rooms', () => {
  const runs = [run('peer', 1), run('viva', 1, { response: of(6, 750), stop: of(4, 200) }), run('peer', 1, {}, 8), run('viva', 1, {}, 8)];
  const lines = render(scenarios(runs), { peer: 500, viva: 50 }, [0.1]).split('\n');
  const row = (start) => lines.filter((line) => line.startsWith(start)).map((line) => line.trim().split(/\s{2,}/));
  assert.deepEqual(row('end of speech → first voice')[0], ['end of speech → first voice, p50', '1500', '750', '0.50']);
  assert.deepEqual(row('interruption → silence')[0], ['interruption → silence, p50', '800', '200', '0.25', 'met ≤ 250 ms']);
  assert.deepEqual(row('interruption → silence')[1], ['interruption → silence, p50', '800', '800', '1.00']);
  assert.deepEqual(row('dispatch → first voice')[0], ['dispatch → first voice, p50', '–', '–', '–', 'MISSED ≤ 350 ms']);
  assert.deepEqual(row('interruptions, ignored')[0], ['interruptions, ignored', '4, 2', '4, 2']);
  assert.ok(lines.some((line) => line.includes('ratio 0.10')));
});

test('numbers are called doubtful for a reason, and only then', () => {
  const quiet = scenarios([run('peer', 1), run('viva', 1, { response: of(6, 700) })]);
  assert.deepEqual(warnings(quiet, [0.4, 1]), []);
  assert.match(warnings(quiet, [0.4, 2.5])[0], /PROVISIONAL: .* 2\.5/);
  assert.match(warnings(scenarios([run('viva', 1, { late: 11 })]), [0])[0], /PROVISIONAL: Viva, 1 room\(s\): 1\.1 %/);
  assert.match(warnings(scenarios([run('peer', 1, { response: of(3, 1500, 1600, 719) })]), [0])[0], /DOUBTFUL: peer, .* 719 ms, earlier than the 720 ms/);
  assert.match(warnings(scenarios([run('viva', 1, { response: of(3, 700, 700, 319) })]), [0])[0], /DOUBTFUL: Viva/);
});

test('from a folder of runs to bench.json', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'));
  t.after(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'runs'));
  const write = (name, value) => writeFileSync(join(dir, 'runs', name), value);
  for (const variant of ['peer', 'peer-vad', 'viva']) {
    write(`${variant}.1.1.json`, JSON.stringify(report()));
    write(`${variant}.1.1.load`, '0.50\n');
  }
  write('idle.json', '{"peer": 500, "viva": 40}');
  write('peer.1.1.txt', 'not a run');
  const table = execFileSync(process.execPath, [fileURLToPath(new URL('compare.mjs', import.meta.url)), dir], { encoding: 'utf8' });
  assert.match(table, /peer, VAD only/);
  const bench = JSON.parse(readFileSync(join(dir, 'bench.json'), 'utf8'));
  assert.deepEqual(Object.keys(bench.scenarios[1]).sort(), ['peer', 'peer-vad', 'viva']);
  assert.equal(bench.runs.length, 3);
  assert.equal(bench.idle_pss_mib.viva, 40);
});
