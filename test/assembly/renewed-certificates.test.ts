import { mock } from 'node:test';
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

const logTo = (told: string[]): Log => ({
  debug() {},
  info: () => void told.push('info'),
  warn() {},
  error: ({ err }: { err?: unknown }) => void told.push((err as Error).message),
});

/** Looks until there was an answer to each. @param answers what the looks find; an error: that they fail */
async function looked(leads: boolean, ...answers: readonly (boolean | Error)[]): Promise<Kept> {
  const left = [...answers];
  const asked: boolean[] = [];
  const told: string[] = [];
  const log = logTo(told);
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
    pause: 5,
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
test('the clock is looked at each minute, for it may be set beyond the end of a certificate, and after a failure only in an hour', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  const now = mock.method(performance, 'now', () => 0);
  const asked: number[] = [];
  const told: string[] = [];
  const renew = async (): Promise<boolean> => {
    asked.push(performance.now() / 60_000);
    if (asked.length === 3) throw new Error('the disk is full');
    return false;
  };
  const end = keepRenewed({ certificates: { renew }, leads: () => true, changed() {}, log: logTo(told) });
  for (let minute = 1; minute <= 65; minute++) {
    now.mock.mockImplementation(() => minute * 60_000);
    mock.timers.tick(60_000);
    await new Promise(setImmediate);
  }
  end();
  mock.reset();
  mock.timers.reset();
  assert.equal(asked, [1, 2, 3, 63, 64, 65]);
  assert.equal(told, ['the disk is full']);
});
test.run();
