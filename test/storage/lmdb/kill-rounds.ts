/**
 * Kills processes that write to a store, as many times as is asked for: node test/storage/lmdb/kill-rounds.ts --rounds=1000. The tests do a few of these rounds.
 * It ends with code 1 at the first write that is lost, or anything else that is not as it was.
 */
import { parseArgs } from 'node:util';
import { inFolder, killedRound, Ledger, type Writers } from './killed-writers.ts';

/** Rounds over one store. */
const ROUNDS_OF_STORE = 20;

const KINDS: readonly Writers[] = [
  { count: 64, exclusive: false, history: 2_000 },
  { count: 64, exclusive: true, history: 2_000 },
  { count: 8, exclusive: true, history: 200 },
  { count: 1, exclusive: true, history: 20 },
];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } });
const rounds = Number(values.rounds);
const begun = performance.now();
let done = 0;
let acknowledged = 0;

for (let store = 0; done < rounds; store++) {
  await inFolder(async (directory, start) => {
    const ledger = new Ledger(directory);
    for (const end = Math.min(rounds, done + ROUNDS_OF_STORE); done < end; done++) {
      // a store that is opened by one process is opened by several now and then
      const writers = KINDS[(store + (done % 7 === 0 ? 1 : 0)) % KINDS.length] as Writers;
      acknowledged += await killedRound(ledger, start(`${done % 3}`, writers), done % 3 === 2 ? 'opening' : 'writing');
    }
  });
  const seconds = Math.round((performance.now() - begun) / 1_000);
  process.stdout.write(`${done} rounds, ${acknowledged} writes acknowledged, none lost, ${seconds} s\n`);
}
