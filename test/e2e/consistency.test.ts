/**
 * Random writers, listers and watchers at the same time, in all forms: no event is lost, doubled or out of order; every list is what was
 * stored at its version, every object is as new as was asked for; every watch goes on from a list to what the next list shows.
 *
 *   CONSISTENCY_SECONDS=10   how long is written in each row
 *   CONSISTENCY_SEED=N       decides as the run did that printed this seed (what happens at the same time still differs)
 */
import { randomInt } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../harness/server.ts';
import { run } from './consistency/run.ts';

const SECONDS = Number(process.env.CONSISTENCY_SECONDS ?? 10);
const SEED = Number(process.env.CONSISTENCY_SEED ?? randomInt(2 ** 31));

interface Row {
  readonly name: string;
  /** serving processes */
  readonly workers: number;
  readonly flags?: readonly string[];
  readonly shortHistory?: boolean;
  readonly deaths?: boolean;
  /** of the time that is written */
  readonly share: number;
}

const ROWS: readonly Row[] = [
  { name: 'one process', workers: 1, share: 0.3 },
  { name: 'two processes', workers: 2, share: 0.25 },
  { name: 'three processes that are killed now and then', workers: 3, deaths: true, share: 0.25 },
  { name: 'one process that forgets at once', workers: 1, flags: ['--history-window=1s'], shortHistory: true, share: 0.2 },
];

const test = suite('consistency');
for (const { name, workers, flags = [], shortHistory = false, deaths = false, share } of ROWS)
  test(name, async () => {
    const server = await startServer({ dialect: 'cluster', flags: [...(workers > 1 ? [`--workers=${workers}`] : []), ...flags] });
    try {
      const outcome = await run(server, {
        seed: SEED,
        duration: SECONDS * 1_000 * share,
        writers: 6,
        listers: 4,
        watchers: 24,
        shortHistory,
        deaths,
      });
      const { problems, ...counts } = outcome;
      console.log(`${name}, CONSISTENCY_SEED=${SEED}: ${JSON.stringify(counts)}`);
      assert.equal(problems.slice(0, 5), [], `CONSISTENCY_SEED=${SEED}`);
      assert.equal(server.faults(), []);
      assert.ok(Math.min(counts.changes, counts.lists, counts.objects, counts.delivered) > 0, 'nothing happened');
      assert.is(counts.killed > 0, deaths);
    } finally {
      await server.stop();
    }
  });
test.run();
