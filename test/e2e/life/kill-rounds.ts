/**
 * Kills servers that clients write to, as many times as is asked for: node test/e2e/life/kill-rounds.ts --rounds=1000. The tests do a few of these rounds.
 * It ends with code 1 at the first write that is lost, or anything else that is not as it was, and leaves the data directory for a look at it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Figures, KilledRounds, type Rounds } from './killed-servers/killed-rounds.ts';

/** Rounds over one data directory. */
const ROUNDS_OF_DIRECTORY = 20;

const KINDS: readonly Rounds[] = [
  { workers: () => 1, compacts: false, least: 0 },
  { workers: () => 2, compacts: false, least: 0 },
  { workers: () => 1, compacts: true, least: 0 },
  { workers: () => 2, compacts: true, least: 0 },
  // a data directory that one process has had is several processes' then, and the other way round
  { workers: (round) => 1 + (round % 2), compacts: true, least: 0 },
];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1000' } } });
const rounds = Number(values.rounds);
const begun = performance.now();
const figures: Figures = { rounds: 0, acknowledged: 0, whole: 0, expired: 0 };

for (let number = 0; figures.rounds < rounds; number++) {
  const directory = await mkdtemp(path.join(tmpdir(), 'kill-rounds-'));
  try {
    const killed = new KilledRounds(directory, KINDS[number % KINDS.length] as Rounds, figures);
    for (const end = Math.min(rounds, figures.rounds + ROUNDS_OF_DIRECTORY); figures.rounds < end; ) await killed.round();
    await killed.end();
  } catch (error) {
    process.stdout.write(`round ${figures.rounds}: what is left is in ${directory}\n`);
    throw error;
  }
  await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const { acknowledged, whole, expired } = figures;
  process.stdout.write(
    `${figures.rounds} rounds, ${acknowledged} writes acknowledged, none lost; ${whole} watches had every change, ${expired} were told to begin anew; ${seconds} s\n`,
  );
}
