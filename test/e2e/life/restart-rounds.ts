/**
 * Restarts servers behind a balancer, under load, as many times as is asked for: node test/e2e/life/restart-rounds.ts --rounds=100. The tests do a few of these
 * rounds. It ends with code 1 when a request of a client has failed, or a watch lacks something.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { RestartedRounds, type Restarts } from './restarts/restarted-rounds.ts';
import { noFigures } from './restarts/steady-clients.ts';

/** Rounds over one data directory. */
const ROUNDS_OF_DIRECTORY = 10;
const COMMON = { clients: 8, least: 100 };

const KINDS: readonly Restarts[] = [
  { ...COMMON, workers: 1, sendsRetryAfter: false },
  { ...COMMON, workers: 2, sendsRetryAfter: false },
  { ...COMMON, workers: 1, sendsRetryAfter: true },
  { ...COMMON, workers: 2, sendsRetryAfter: true },
];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const wanted = Number(values.rounds);
const begun = performance.now();
const figures = noFigures();
let done = 0;

for (let number = 0; done < wanted; number++) {
  const directory = await mkdtemp(path.join(tmpdir(), 'restart-rounds-'));
  const rounds = await RestartedRounds.start(directory, KINDS[number % KINDS.length] as Restarts, figures);
  try {
    for (const end = Math.min(wanted, done + ROUNDS_OF_DIRECTORY); done < end; done++) await rounds.round();
    await rounds.end();
  } finally {
    await rounds.abandon();
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  const { answered, failures, told, undone, reads, lasts, watches, events } = figures;
  const seconds = Math.round((performance.now() - begun) / 1_000);
  process.stdout.write(
    `${done} restarts, ${answered} requests answered, ${failures.length} failed; ${watches} watches had all of ${events} events; ` +
      `sent again: ${told} as the server said, ${undone} that had not reached it, ${reads} reads; ${lasts} answers were the last of their connections; ${seconds} s\n`,
  );
  for (const failure of failures) process.stdout.write(`  ${failure}\n`);
  if (failures.length > 0) process.exit(1);
}
