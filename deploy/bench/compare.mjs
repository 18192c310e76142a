// Puts the load tests of peer.sh side by side: node compare.mjs DIR reads DIR/runs, prints a table and writes DIR/bench.json.
//
// A run is VARIANT.ROOMS.ROUND.json as `viva loadtest --json` writes it, with the load average before it in VARIANT.ROOMS.ROUND.load.
// Several rounds of a variant are put together without their single samples, which the reports do not hold: a median is the mean of
// the rounds' medians, weighted by their counts; a p95 is the highest of the rounds'; counts are added up.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

const runName = /^(peer|peer-vad|viva)\.(\d+)\.(\d+)\.json$/;

// No true answer can come earlier, in ms after the end of speech. The stub takes 150 for a transcript, 200 to the first token and 120
// to the first audio; the peer asks for the transcript only after the 250 of silence that end speech for its VAD. Viva may have had the
// transcript before.
const earliest = { peer: 250 + 150 + 200 + 120, 'peer-vad': 250 + 150 + 200 + 120, viva: 200 + 120 };

const titles = { peer: 'peer', 'peer-vad': 'peer, VAD only', viva: 'Viva' };

/** Reads the runs of a folder, in the order of their names. */
export function readRuns(dir) {
  const runs = [];
  for (const file of readdirSync(dir).sort()) {
    const [, variant, rooms, round] = file.match(runName) ?? [];
    if (!variant) continue;
    const load = Number(readFileSync(join(dir, file.replace(/json$/, 'load')), 'utf8'));
    runs.push({ variant, rooms: Number(rooms), round: Number(round), load, report: JSON.parse(readFileSync(join(dir, file), 'utf8')) });
  }
  return runs;
}

/** One measure of several reports; null when nobody measured it. */
export function distribution(reports, measure) {
  const parts = reports.map((r) => r.measures[measure]).filter((d) => d?.count > 0);
  const count = sum(parts, (d) => d.count);
  if (count === 0) return null;
  return {
    count,
    min: Math.min(...parts.map((d) => d.min_ms)),
    p50: sum(parts, (d) => d.p50_ms * d.count) / count,
    p95: Math.max(...parts.map((d) => d.p95_ms)),
  };
}

const measures = ['response', 'response_after_interruption', 'interruption_to_silence', 'dispatch_to_joined', 'dispatch_to_first_voice'];
const counters = ['turns', 'answers', 'early_answers', 'answers_missing', 'greetings_missing', 'interruptions', 'interruptions_heeded',
  'interruptions_ignored', 'talk_overs', 'gaps', 'overlaps'];

/** What a variant did with so many rooms, over all rounds. The process measured is the worker with its children. */
export function summarize(reports) {
  const workers = reports.flatMap((r) => (r.processes ?? []).slice(0, 1));
  return {
    rounds: reports.length,
    measures: Object.fromEntries(measures.map((m) => [m, distribution(reports, m)])),
    counters: Object.fromEntries(counters.map((c) => [c, sum(reports, (r) => r.counters[c] ?? 0)])),
    rooms: sum(reports, (r) => r.settings.rooms),
    rooms_completed: sum(reports, (r) => r.rooms_completed),
    tool: { late: sum(reports, (r) => r.tool.frames_late), frames: sum(reports, (r) => r.tool.frames_sent) },
    worker: workers.length === 0 ? null : {
      rss_start_mib: workers[0].rss_start_mib,
      rss_max_mib: Math.max(...workers.map((w) => w.rss_max_mib)),
      rss_per_room_mib: Math.max(...workers.map((w) => w.rss_per_room_mib)),
      cpu_per_room_cores: sum(workers, (w) => w.cpu_per_room_cores) / workers.length,
    },
  };
}

/** Runs as {rooms: {variant: summary}}. */
export function scenarios(runs) {
  const out = {};
  for (const { rooms, variant } of runs) {
    out[rooms] ??= {};
    out[rooms][variant] ??= summarize(runs.filter((r) => r.rooms === rooms && r.variant === variant).map((r) => r.report));
  }
  return out;
}

const rows = [
  time('end of speech → first voice, p50', 'response', 'p50'),
  time('                             p95', 'response', 'p95'),
  time('  after an interruption, p50', 'response_after_interruption', 'p50'),
  time('interruption → silence, p50', 'interruption_to_silence', 'p50', 250),
  time('                        p95', 'interruption_to_silence', 'p95', 350),
  time('dispatch → joined, p50', 'dispatch_to_joined', 'p50', 150),
  time('dispatch → first voice, p50', 'dispatch_to_first_voice', 'p50', 350),
  { name: 'worker: cores per room', value: (s) => s.worker?.cpu_per_room_cores, digits: 3, ratio: true },
  { name: 'worker: MiB more per room', value: (s) => s.worker?.rss_per_room_mib, digits: 1, ratio: true },
  { name: 'worker: MiB at most', value: (s) => s.worker?.rss_max_mib, digits: 0, ratio: true },
  { name: 'samples of the first row', value: (s) => s.measures.response?.count, digits: 0 },
  { name: 'turns, answers missing', text: (s) => `${s.counters.turns}, ${s.counters.answers_missing}` },
  { name: 'interruptions, ignored', text: (s) => `${s.counters.interruptions}, ${s.counters.interruptions_ignored}` },
  { name: 'began over the candidate', value: (s) => s.counters.talk_overs, digits: 0 },
  { name: 'gaps inside its speech', value: (s) => s.counters.gaps, digits: 0 },
  { name: 'rooms, completed', text: (s) => `${s.rooms}, ${s.rooms_completed}` },
];

function time(name, measure, quantile, bar) {
  return { name, value: (s) => s.measures[measure]?.[quantile], digits: 0, ratio: true, bar };
}

function cell(row, summary) {
  if (row.text) return row.text(summary);
  return number(row.value(summary), row.digits);
}

function number(value, digits) {
  return Number.isFinite(value) ? value.toFixed(digits) : '–';
}

function ratio(row, variants) {
  if (!row.ratio || !variants.peer || !variants.viva) return '';
  return number(row.value(variants.viva) / row.value(variants.peer), 2);
}

function verdict(row, variants) {
  if (!row.bar || !variants.viva) return '';
  return `${met(row.value(variants.viva) <= row.bar)} ≤ ${row.bar} ms`;
}

const met = (ok) => (ok ? 'met' : 'MISSED');

/** The bars of the one-room run that are ratios. */
export function ratioBars(variants) {
  const mine = variants.viva?.measures.response;
  const other = variants.peer?.measures.response;
  if (!mine || !other) return [];
  const doubtful = ['peer', 'peer-vad', 'viva'].some((v) => variants[v] && fastestAnswer(variants[v].measures) < earliest[v]);
  const lines = [
    `${doubtful ? 'UNDECIDED' : met(mine.p50 <= 0.55 * other.p50)}: p50 of end of speech → first voice ≤ 0.55 × the peer's: ${(mine.p50 / other.p50).toFixed(2)}`,
    `${met(mine.p95 <= 1.15 * mine.p50)}: its p95 ≤ 1.15 × its own p50: ${(mine.p95 / mine.p50).toFixed(2)}`,
  ];
  if (doubtful) return lines; // the fastest answer cannot be one
  const fastest = Math.min(other.min, variants['peer-vad']?.measures.response?.min ?? Infinity);
  lines.push(`for comparison: Viva's p50 is ${(mine.p50 / fastest).toFixed(2)} × the fastest single answer of the peer (${fastest.toFixed(0)} ms)`);
  return lines;
}

/** The tables as text. */
export function render(byRooms, idle, loads) {
  const lines = [];
  for (const [rooms, variants] of Object.entries(byRooms)) {
    const order = Object.keys(titles).filter((v) => variants[v]);
    lines.push(`${rooms} ${rooms === '1' ? 'room' : 'rooms at once'} (times in ms)`);
    lines.push(...columns([
      ['', ...order.map((v) => titles[v]), 'Viva/peer', rooms === '1' ? 'bar' : ''],
      ...rows.map((row) => [row.name, ...order.map((v) => cell(row, variants[v])), ratio(row, variants), rooms === '1' ? verdict(row, variants) : '']),
    ]), '');
  }
  lines.push(...(byRooms[1] ? ratioBars(byRooms[1]) : []));
  if (idle.peer && idle.viva) {
    lines.push(`idle worker with its children, shared pages shared out: peer ${idle.peer} MiB, Viva ${idle.viva} MiB, ratio ${(idle.viva / idle.peer).toFixed(2)}`);
  }
  lines.push(...warnings(byRooms, loads));
  return `${lines.join('\n')}\n`;
}

/** What makes the numbers doubtful: other work on the machine, a load test that could not keep time, answers that cannot be ones. */
export function warnings(byRooms, loads) {
  const out = [];
  const busiest = Math.max(...loads);
  if (busiest > 1) out.push(`PROVISIONAL: the load average before a run was up to ${busiest.toFixed(1)}; measure on an otherwise idle machine`);
  for (const [rooms, variants] of Object.entries(byRooms)) {
    for (const [variant, { tool, measures: measured }] of Object.entries(variants)) {
      const fastest = fastestAnswer(measured);
      if (fastest < earliest[variant]) {
        out.push(`DOUBTFUL: ${titles[variant]}, ${rooms} room(s): an answer after ${fastest.toFixed(0)} ms, earlier than the ${earliest[variant]} ms `
          + 'that the stub allows: other sound was taken for an answer, and these times mean little');
      }
      if (tool.late > 0.01 * tool.frames) {
        out.push(`PROVISIONAL: ${titles[variant]}, ${rooms} room(s): ${(100 * tool.late / tool.frames).toFixed(1)} % of the candidates' frames were sent late`);
      }
    }
  }
  return out;
}

function fastestAnswer(measured) {
  return Math.min(measured.response?.min ?? Infinity, measured.response_after_interruption?.min ?? Infinity);
}

// The first column is aligned left, the last as well, all others right.
function columns(table) {
  const width = table[0].map((_, i) => Math.max(...table.map((line) => line[i].length)));
  return table.map((line) => line
    .map((text, i) => (i === 0 || i === line.length - 1 ? text.padEnd(width[i]) : text.padStart(width[i])))
    .join('  ').trimEnd());
}

function sum(list, value) {
  return list.reduce((total, item) => total + value(item), 0);
}

function main(dir) {
  const runs = readRuns(join(dir, 'runs'));
  if (runs.length === 0) throw new Error(`no runs in ${join(dir, 'runs')}`);
  const idle = JSON.parse(readFileSync(join(dir, 'runs', 'idle.json'), 'utf8'));
  const byRooms = scenarios(runs);
  const text = render(byRooms, idle, runs.map((r) => r.load));
  writeFileSync(join(dir, 'bench.json'), `${JSON.stringify({ machine: runs[0].report.machine, idle_pss_mib: idle, scenarios: byRooms, runs }, null, 2)}\n`);
  stdout.write(text);
}

if (argv[1] === fileURLToPath(import.meta.url)) main(argv[2]);
