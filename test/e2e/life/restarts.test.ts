/** A server behind a balancer is restarted while clients go on: none of them notices. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RestartedRounds } from './restarts/restarted-rounds.ts';
import { noFigures } from './restarts/steady-clients.ts';

const test = suite('restarts behind a balancer');
const ROUNDS = 2;
/** Requests that are answered before a server is restarted. */
const LEAST = 40;

for (const { workers, sendsRetryAfter } of [
  { workers: 1, sendsRetryAfter: false },
  { workers: 2, sendsRetryAfter: true },
])
  test(`of ${workers} process(es)${sendsRetryAfter ? ', which tell clients to try again' : ''}: no request fails, no watch lacks an event`, async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'restarts-'));
    const figures = noFigures();
    const rounds = await RestartedRounds.start(directory, { clients: 8, least: LEAST, workers, sendsRetryAfter }, figures);
    try {
      for (let round = 0; round < ROUNDS; round++) await rounds.round();
      await rounds.end();
    } finally {
      await rounds.abandon();
      await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    }
    assert.equal(figures.failures, []);
    assert.ok(figures.answered >= ROUNDS * LEAST, `${figures.answered} requests`);
    assert.ok(figures.lasts > 0, 'no client was sent away');
    assert.ok(figures.events > 0, `${figures.events} events`);
  });

test.run();
