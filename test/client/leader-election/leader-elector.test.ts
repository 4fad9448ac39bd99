import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Lease, leases } from '../../../generated/client/coordination/v1/index.ts';
import { ApiError, createClient, type LeaderElectionOptions, LeaderElector, LeadershipLost } from '../../../generated/client/index.ts';
import type { Client } from '../../../runtime/client/resources/client.ts';
import { withMachineClock } from '../../harness/machine-clock.ts';
import { type ServerAndClient, serverAndClient } from '../client-of.ts';
import { cuttingProxy } from '../cutting-proxy.ts';

const test = suite('electing a leader');
let context: ServerAndClient;
let count = 0;
test.before(async () => {
  context = await serverAndClient('cluster');
});
test.after(async () => {
  await context[Symbol.asyncDispose]();
});

/** So long that nobody loses a lease because the machine has other work; who ends gives it up. */
const times = { leaseDuration: 20_000, renewDeadline: 15_000, retryPeriod: 50 };
/** Where a lease is to be lost. */
const short = { leaseDuration: 2_000, renewDeadline: 1_500 };
const elector = (name: string, identity: string, more: Partial<LeaderElectionOptions> = {}, client = context.client): LeaderElector =>
  new LeaderElector(client, { namespace: 'default', name, identity, ...times, ...more });
const lease = (name: string) => context.client.resource(leases).in('default').get(name);
/** The lease once it is so. */
async function leaseOnce(name: string, isSo: (lease: Lease) => boolean): Promise<Lease> {
  for (const until = performance.now() + 10_000; ; await sleep(10)) {
    const found = await lease(name).catch((error: unknown) => error);
    if (!(found instanceof Error) && isSo(found as Lease)) return found as Lease;
    assert.ok(performance.now() < until, JSON.stringify(found));
  }
}
/** Leads until it is told to end. */
const whileLeading = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });

test('has one leader at a time, and the next one when that ends', async () => {
  const name = `lease-${count++}`;
  let leading = 0;
  const led: string[] = [];
  const seen: string[] = [];
  const lead = (identity: string) => async () => {
    assert.is(++leading, 1);
    led.push(identity);
    await sleep(200);
    leading--;
    return identity;
  };
  const all = ['a', 'b', 'c'].map((identity) =>
    elector(name, identity, identity === 'a' ? { onLeader: (who) => seen.push(who) } : {}).run(lead(identity)),
  );
  assert.equal(await Promise.all(all), ['a', 'b', 'c']);
  assert.equal(led.sort(), ['a', 'b', 'c']);
  const { spec } = await lease(name);
  assert.equal([spec?.holderIdentity, spec?.leaseTransitions], ['', 2]);
  assert.match(spec?.renewTime ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  assert.ok(seen.length > 0);
});
test('renews the lease, and says since when it is held', async () => {
  const name = `lease-${count++}`;
  const controller = new AbortController();
  const leader = elector(name, 'a');
  const run = leader.run(whileLeading, controller.signal);
  const first = await leaseOnce(name, ({ spec }) => spec?.holderIdentity === 'a');
  const second = await leaseOnce(name, ({ spec }) => spec?.renewTime !== first.spec?.renewTime);
  assert.is(leader.leader, 'a');
  assert.is(first.spec?.acquireTime, second.spec?.acquireTime);
  assert.equal([second.spec?.holderIdentity, second.spec?.leaseDurationSeconds, second.spec?.leaseTransitions], ['a', 20, 0]);
  controller.abort();
  await run;
});
test('leaves the lease to a holder that says nothing until it is over', async () => {
  const name = `lease-${count++}`;
  const now = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: 'gone', leaseDurationSeconds: 1, acquireTime: now, renewTime: now, leaseTransitions: 3 };
  await context.client.resource(leases).in('default').create({ metadata: { name }, spec });
  const began = performance.now();
  await elector(name, 'next').run(async () => {
    assert.ok(performance.now() - began >= 1_000);
    assert.equal((await lease(name)).spec?.leaseTransitions, 4);
  });
});
test('takes the lease of a holder that is gone, though others change its metadata', async () => {
  const name = `lease-${count++}`;
  const now = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: 'gone', leaseDurationSeconds: 2, acquireTime: now, renewTime: now, leaseTransitions: 3 };
  const all = context.client.resource(leases).in('default');
  await all.create({ metadata: { name }, spec });
  let changes = 0;
  let isOver = false;
  // each behind the answer to the one before, or who takes the lease would hardly find it as it was read
  const changing = (async () => {
    for (; !isOver; await sleep(50)) await all.mergePatch(name, { metadata: { annotations: { changes: String(changes++) } } });
  })();
  try {
    const led = await elector(name, 'next').run(() => Promise.resolve('led'), AbortSignal.timeout(60_000));
    assert.is(led, 'led');
    assert.ok(changes > 5);
  } finally {
    isOver = true;
    await changing;
  }
});
test('ends a leader whose lease another one has taken', async () => {
  const name = `lease-${count++}`;
  const maps = context.client.resource(leases).in('default');
  let reason: unknown;
  const run = elector(name, 'a')
    .run(async (signal) => {
      await maps.mergePatch(name, { spec: { holderIdentity: 'thief' } });
      await whileLeading(signal);
      reason = signal.reason;
    })
    .catch((error: unknown) => error);
  const error = await run;
  assert.instance(error, LeadershipLost);
  assert.is(reason, error);
  assert.is((await lease(name)).spec?.holderIdentity, 'thief');
});
test('ends a leader that cannot renew its lease, before others may take it', async () => {
  const name = `lease-${count++}`;
  const way = await cuttingProxy(Number(new URL(context.server.url).port));
  const client = createClient({ ...context.server.clientConfig, server: `https://127.0.0.1:${way.port}` });
  const errors: unknown[] = [];
  let endedAt = 0;
  let otherLedAt = 0;
  const error = await elector(name, 'a', { ...short, onError: (each) => errors.push(each) }, client)
    .run(async (signal) => {
      way.shut();
      const other = elector(name, 'b').run(async () => {
        otherLedAt = performance.now();
      });
      await whileLeading(signal);
      endedAt = performance.now();
      await other;
    })
    .catch((thrown: unknown) => thrown);
  assert.instance(error, LeadershipLost);
  assert.ok(errors.length > 0);
  assert.ok(endedAt < otherLedAt, `${endedAt} ${otherLedAt}`);
  client.close();
  way.close();
});
test('goes on where the lease is deleted, and where somebody else changes what is not theirs', async () => {
  const name = `lease-${count++}`;
  const maps = context.client.resource(leases).in('default');
  await elector(name, 'a').run(async (signal) => {
    await maps.mergePatch(name, { metadata: { labels: { a: 'b' } } });
    const labelled = await leaseOnce(name, () => true);
    await leaseOnce(name, ({ spec }) => spec?.renewTime !== labelled.spec?.renewTime);
    await maps.delete(name);
    await leaseOnce(name, ({ metadata, spec }) => metadata?.uid !== labelled.metadata?.uid && spec?.holderIdentity === 'a');
    assert.not(signal.aborted);
  });
});
test('gives up waiting when it is told to', async () => {
  const name = `lease-${count++}`;
  const controller = new AbortController();
  await elector(name, 'a').run(async () => {
    const reason = new Error('enough');
    const waiting = elector(name, 'b')
      .run(async () => assert.unreachable(), controller.signal)
      .catch((error: unknown) => error);
    await sleep(100);
    controller.abort(reason);
    assert.is(await waiting, reason);
  });
});
test('passes on what the leader throws, and gives the lease up', async () => {
  const name = `lease-${count++}`;
  const failure = new Error('broken');
  const outcome = await elector(name, 'a')
    .run(async () => {
      throw failure;
    })
    .catch((error: unknown) => error);
  assert.is(outcome, failure);
  assert.is((await lease(name)).spec?.holderIdentity, '');
});
const wrong: Partial<LeaderElectionOptions>[] = [
  { ...short, leaseDuration: 1_000 },
  { ...short, retryPeriod: 1_500 },
  { retryPeriod: 0 },
  { leaseDuration: 20_500 },
];
for (const each of wrong)
  test(`refuses times that do not fit: ${JSON.stringify(each)}`, () => assert.throws(() => elector('x', 'a', each), RangeError));
test('refuses an identity that nobody has, by which all would lead', () =>
  assert.throws(() => elector('x', ''), /identity must not be empty/));
test.run();

const held = suite('the time that a lease is held');
/** No test takes as long as these: time passes as a test says. */
const long = { leaseDuration: 60_000, renewDeadline: 30_000 };
/** A client of one lease, which nobody else has. @param wrote is told of each time that it was written, from 1 on, before that is answered */
function clientOfLease(wrote: (writes: number) => void): Client {
  let kept: Lease | undefined;
  let writes = 0;
  const write = async ({ metadata, spec }: Lease, { signal }: { signal: AbortSignal }): Promise<Lease> => {
    signal.throwIfAborted();
    kept = { metadata: { ...metadata, resourceVersion: String(++writes) }, spec } as Lease;
    wrote(writes);
    return kept;
  };
  const get = async (): Promise<Lease> => {
    if (kept === undefined) throw new ApiError(404, '');
    return kept;
  };
  return {
    ending: new AbortController().signal,
    resource: () => ({ in: () => ({ get, create: write, update: write }) }),
  } as unknown as Client;
}
/** @returns why it leads no longer; undefined where `enough` ended it */
const endOf = (client: Client, enough: AbortController): Promise<unknown> =>
  elector('lease', 'a', long, client)
    .run(whileLeading, enough.signal)
    .catch((error: unknown) => error);
const lateAnswers: [what: string, write: number][] = [
  ['the lease was first taken', 1],
  ['it was renewed', 2],
];
for (const [what, late] of lateAnswers)
  held(`is over by the time that the server says that ${what}, where that takes so long`, () =>
    withMachineClock(async (clock) => {
      const enough = new AbortController();
      const client = clientOfLease((writes) => {
        if (writes === late) clock.pass(long.renewDeadline);
        if (writes > late) enough.abort();
      });
      assert.instance(await endOf(client, enough), LeadershipLost);
    }),
  );
held('begins anew with each renewal that is answered in time', () =>
  withMachineClock(async (clock) => {
    const enough = new AbortController();
    const client = clientOfLease((writes) => {
      // passes once the answer was taken, before the next renewal
      if (writes < 5) setImmediate(() => clock.pass(long.renewDeadline / 2));
      else enough.abort();
    });
    assert.is(await endOf(client, enough), undefined);
  }),
);
held.run();
