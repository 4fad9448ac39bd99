import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keepRenewed, type RenewedParts } from '../../runtime/assembly/renewed-certificates.ts';
import type { Log } from '../../runtime/observability/log.ts';

const test = suite('renewal of certificates while a server runs');

interface Kept {
  readonly asked: boolean[];
  readonly told: string[];
}

/** Looks until there was an answer to each. @param answers what the looks find; an error: that they fail */
async function looked(leads: boolean, ...answers: readonly (boolean | Error)[]): Promise<Kept> {
  const left = [...answers];
  const asked: boolean[] = [];
  const told: string[] = [];
  const log: Log = {
    debug() {},
    info: () => void told.push('info'),
    warn() {},
    error: ({ err }: { err?: unknown }) => void told.push((err as Error).message),
  };
  const renew: RenewedParts['certificates']['renew'] = async (makes) => {
    const answer = left.shift() ?? false;
    asked.push(makes);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const end = keepRenewed({
    certificates: { renew },
    leads: () => leads,
    changed() {},
    renewed: () => void told.push('written'),
    log,
    interval: 1,
  });
  while (asked.length <= answers.length) await sleep(1);
  end();
  const ended = asked.length;
  await sleep(10);
  assert.is(asked.length, ended, 'nobody looks after the end');
  return { asked: asked.slice(0, answers.length), told };
}

test('what is not due is not told', async () => {
  assert.equal(await looked(true, false, false), { asked: [true, true], told: [] });
});
test('the process that leads makes them, and says where they are', async () => {
  assert.equal(await looked(true, true), { asked: [true], told: ['info', 'written'] });
});
test('another process takes what was made', async () => {
  assert.equal(await looked(false, false, true), { asked: [false, false], told: ['info'] });
});
test('a failure is told, and tried again', async () => {
  assert.equal(await looked(true, new Error('the disk is full'), true), {
    asked: [true, true],
    told: ['the disk is full', 'info', 'written'],
  });
});
test.run();
