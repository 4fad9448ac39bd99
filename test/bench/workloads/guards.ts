/**
 * What the server does on its way through ordinary requests so that no request holds it up, damage is told, and a disk may fail: the part of the serving
 * thread's time in which V8's profiler met that code. Two servers with and without it cannot be told apart by less than what V8 makes of the same
 * code in two processes, which is more; a part of one process can.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Bench, createNamespace } from '../bench.ts';
import { readProfile, type Window } from '../cpu-profile.ts';
import type { Row } from '../table.ts';
import { measureCreate } from './create.ts';
import { measureGet } from './get.ts';
import { measureList } from './list.ts';
import { measureSelect } from './select.ts';
import { measureApply, measureDelete, measurePatch, measureUpdate } from './write.ts';

/** Files of `runtime/`, which have nothing else: what is met in them counts, and what they call of Node. */
const GUARDS: readonly string[] = [
  // no request holds the server
  'connections/receiving-pace.ts',
  'contract/field-error.ts',
  'endpoints/bodies/body-memory.ts',
  'endpoints/bodies/byte-budget.ts',
  'endpoints/long-body.ts',
  'endpoints/request/request-turns.ts',
  'event-loop/processor-wait.ts',
  'event-loop/reading-in-turns.ts',
  'registry/stored-objects/long-value.ts',
  'registry/stored-objects/sliced-reading.ts',
  'server/listener/request-bursts.ts',
  // damage is told, a disk may fail
  'storage/lmdb/codecs/checksum-behind-head.ts',
  'storage/lmdb/codecs/checksum-difference.ts',
  'storage/lmdb/store-files/disk-gate.ts',
  'storage/lmdb/tables/transaction-watch.ts',
  'storage/lmdb/recent/verified-records.ts',
];
/**
 * In files that have more: checksums, whoever has them made, which bodies are long (`endpoints/read-body.ts`), and the pieces of long work
 * (`event-loop/turns.ts`, whose turns themselves are older: followers of changes, lists and watches took them before there was any of this).
 */
const GUARDING_FUNCTIONS: ReadonlySet<string> = new Set([
  'crc32',
  'recordChecksum',
  'isRecordWhole',
  'elsewhere',
  'longFrom',
  'changesLongObject',
  'isMuchWork',
  '#makeRoom',
  '#awaitMore',
  'firstTurn',
  'eachInTurns',
  'restInTurns',
  'actOn',
  'inTurns',
]);
const GOAL = 0.03;

const ROWS: readonly ((bench: Bench) => Promise<void>)[] = [
  measureGet,
  measureCreate,
  measureUpdate,
  measurePatch,
  measureApply,
  measureDelete,
  measureList,
  measureSelect,
];

/** Needs a server of ours: it starts others of the same checkout, with the same flags. */
export async function measureGuards(bench: Bench): Promise<void> {
  if (bench.own === undefined) return;
  await bench.own.stop();
  for (const measure of ROWS) await measureProfiled(bench, bench.own, measure);
}

async function measureProfiled(bench: Bench, own: NonNullable<Bench['own']>, measure: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-profile-'));
  const server = own.another([]);
  const rows: { readonly row: Row; readonly window: Window }[] = [];
  let window: Window = { from: 0, to: 0 };
  const timed = {
    async run(load: Parameters<Bench['load']['run']>[0]) {
      const from = now();
      const result = await bench.load.run(load);
      window = { from, to: now() };
      return result;
    },
  };
  try {
    await server.start('node', [`--cpu-prof`, `--cpu-prof-interval=${INTERVAL}`, `--cpu-prof-dir=${folder}`]);
    await measure({
      ...bench,
      own: server,
      load: timed as Bench['load'],
      report: (row) => rows.push({ row, window }),
      makeNamespace: () => createNamespace(server.target),
      get target() {
        return server.target;
      },
    });
    await server.stop();
    const profile = readProfile(folder);
    for (const { row, window } of rows) bench.report({ ...profileRow(row), share: profile.share(window, isGuard), shareGoal: GOAL });
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Microseconds between samples. */
const INTERVAL = 200;

/** Microseconds, of the clock of V8's profiles. */
const now = (): number => Number(process.hrtime.bigint() / 1_000n);

const profileRow = ({ workload, name }: Row): Row => ({ workload: 'guards', name: `${workload}, ${name}` });

function isGuard(file: string, functionName: string): boolean {
  return GUARDING_FUNCTIONS.has(functionName) || GUARDS.includes(file);
}
