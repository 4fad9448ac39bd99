/** Processes that write are killed at random moments; what they were told is written has to be there, and nothing else may be harmed. */
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inFolder, killedRound, Ledger } from './killed-writers.ts';

const test = suite('killed writers');
const WRITERS = 64;

/** Writes that a process is told of, at least, in the two of three rounds in which it is killed while it writes. */
const LEAST = 200;

for (const { who, count, exclusive, rounds, least = LEAST } of [
  { who: 'a process', count: WRITERS, exclusive: false, rounds: 10 },
  { who: 'a process that has the store for itself', count: WRITERS, exclusive: true, rounds: 6 },
  { who: 'one of eight writers, whose writes are flushed together,', count: 8, exclusive: true, rounds: 8 },
  { who: 'one with a single writer', count: 1, exclusive: true, rounds: 6, least: 50 },
])
  test(`${who} that is killed again and again loses nothing that it was told`, () =>
    inFolder(async (directory, start) => {
      const ledger = new Ledger(directory);
      let acknowledged = 0;
      for (let round = 0; round < rounds; round++) {
        const writer = start(`${round % 3}`, { count, exclusive, history: 2_000 });
        acknowledged += await killedRound(ledger, writer, round % 3 === 2 ? 'opening' : 'writing', least);
      }
      assert.ok(acknowledged >= least * Math.ceil((rounds * 2) / 3), `only ${acknowledged} writes`);
    }));

const SHARING = { count: WRITERS, exclusive: false };

// without compaction: the survivor could compact what the other one wrote last and did not live to tell
test('a process that is killed does not stop the others that write to the file', () =>
  inFolder(async (directory, start) => {
    const ledger = new Ledger(directory);
    for (let round = 0; round < 3; round++) {
      const [first, second] = [start('a', SHARING), start('b', SHARING)];
      await Promise.all([first.ready, second.ready]);
      await Promise.all([first.hasWritten(LEAST), second.hasWritten(LEAST)]);
      await wait(Math.random() * 200);
      await first.kill();
      await second.hasWritten(second.acknowledged.length + LEAST);
      await second.kill();
      ledger.add([...first.acknowledged, ...second.acknowledged].sort((a, b) => a.revision - b.revision));
      await ledger.check();
    }
  }));

test.run();
