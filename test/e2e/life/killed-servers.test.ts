/** Servers are killed at random moments; what their clients were told is written has to be there, and is told to whoever watches from before. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Figures, KilledRounds } from './killed-servers/killed-rounds.ts';

const test = suite('killed servers');

/** Writes that are acknowledged before a server is killed that serves. */
const LEAST = 50;

for (const { who, rounds, workers, compacts } of [
  { who: 'one process', rounds: 3, workers: () => 1, compacts: false },
  { who: 'two workers', rounds: 3, workers: () => 2, compacts: false },
  { who: 'one process and two workers by turns, which compact', rounds: 4, workers: (round: number) => 1 + (round % 2), compacts: true },
])
  test(`${who} lose nothing, and give no revision twice`, async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'killed-servers-'));
    const figures: Figures = { rounds: 0, acknowledged: 0, whole: 0, expired: 0 };
    try {
      const killed = new KilledRounds(directory, { workers, compacts, least: LEAST }, figures);
      while (figures.rounds < rounds) await killed.round();
      await killed.end();
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
    assert.ok(figures.acknowledged >= 2 * LEAST, `${figures.acknowledged} writes`);
    assert.ok(figures.whole + figures.expired >= rounds, `${figures.whole + figures.expired} watches`);
    if (!compacts) assert.ok(figures.whole > 0);
  });

test.run();
