/** Rounds of work, and the lease of a node, by a clock that the test moves. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { ApiError } from '../../../runtime/client/objects/api-error.ts';
import type { Client } from '../../../runtime/client/resources/client.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { NodeLease } from '../../../runtime/node-agent/node/node-lease.ts';
import { Repeating } from '../../../runtime/node-agent/node/repeating.ts';
import { TestClock } from '../../controllers/test-clock.ts';

/** Whatever promises wait for has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const rounds = suite('work that is repeated');
rounds('waits longer after each failure, and begins anew after a success', async () => {
  const clock = new TestClock();
  const outcomes = [...Array(8).fill(false), true, false, true];
  const work = new Repeating({
    clock,
    retries: { first: 200, longest: 7_000 },
    failed: () => {},
    work: async () => {
      if (outcomes.shift() !== true) throw new Error('not now');
      return 10_000;
    },
  });
  work.start();
  for (let round = 0; round < 11; round++) {
    await settled();
    clock.advance(clock.asked.at(-1) ?? 0);
  }
  await settled();
  assert.equal(clock.asked.slice(0, 11), [200, 400, 800, 1_600, 3_200, 6_400, 7_000, 7_000, 10_000, 200, 10_000]);
  await work.stop();
});
rounds('begins at once where somebody wants it, once for all who do so meanwhile', async () => {
  let count = 0;
  const clock = new TestClock();
  const round = async (): Promise<number> => {
    count++;
    return 10_000;
  };
  const work = new Repeating({ clock, retries: { first: 1, longest: 1 }, failed: () => {}, work: round });
  work.start();
  await settled();
  work.soon();
  work.soon();
  await settled();
  assert.is(count, 2);
  await work.stop();
  work.soon();
  await settled();
  assert.is(count, 2);
});
rounds.run();

interface Stored {
  metadata: { name: string; resourceVersion?: string; managedFields?: unknown; ownerReferences?: { uid: string }[] };
  spec: Record<string, unknown>;
}

/** Leases of a server that can be down, and where others write. */
class Leases {
  stored: Stored | undefined;
  fails: unknown;
  readonly calls: string[] = [];
  #version = 0;

  readonly client = { resource: () => ({ in: () => this }) } as unknown as Client;

  async get(): Promise<Stored> {
    this.#call('get');
    if (this.stored === undefined) throw status(404, 'NotFound');
    return this.stored;
  }

  async create(lease: Stored): Promise<Stored> {
    this.#call('create');
    return this.#keep(lease);
  }

  async update(lease: Stored): Promise<Stored> {
    this.#call('update');
    if (lease.metadata.resourceVersion !== this.stored?.metadata.resourceVersion) throw status(409, 'Conflict');
    return this.#keep(lease);
  }

  /** Somebody else writes. */
  touch(): void {
    if (this.stored !== undefined) this.#keep(this.stored);
  }

  #call(name: string): void {
    this.calls.push(name);
    if (this.fails !== undefined) throw this.fails;
  }

  #keep(lease: Stored): Stored {
    this.stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(++this.#version), managedFields: [] } };
    return this.stored;
  }
}

const status = (code: number, reason: string): ApiError =>
  new ApiError(code, JSON.stringify({ kind: 'Status', code, reason, message: reason }), undefined);

const lease = suite('the lease of a node');
async function leaseOf(
  use: (leases: Leases, clock: TestClock, failures: unknown[]) => Promise<void>,
  nodeUid: () => string | undefined = () => 'uid-1',
): Promise<void> {
  const [leases, clock, failures] = [new Leases(), new TestClock(), [] as unknown[]];
  const held = new NodeLease({
    client: leases.client,
    identity: createIdentity(identityData, 'kubernetes'),
    nodeName: 'one',
    durationSeconds: 40,
    nodeUid,
    clock,
    random: () => 1,
    failed: (error) => failures.push(error),
  });
  held.start();
  await settled();
  await use(leases, clock, failures);
  await held.stop();
}
lease('is made, and renewed after a quarter of its time', () =>
  leaseOf(async (leases, clock) => {
    assert.equal(leases.calls, ['get', 'create']);
    assert.equal(clock.asked, [10_400]);
    assert.equal(leases.stored?.spec.holderIdentity, 'one');
    clock.advance(10_400);
    await settled();
    assert.equal(leases.calls, ['get', 'create', 'update']);
    assert.is(leases.stored?.metadata.resourceVersion, '2');
  }),
);
lease('gets its owner once the node is known, and keeps the one that it has', async () => {
  let uid: string | undefined;
  const owners = (leases: Leases): unknown => leases.stored?.metadata.ownerReferences?.map((owner) => owner.uid) ?? [];
  await leaseOf(
    async (leases, clock) => {
      assert.equal(owners(leases), []);
      for (const [next, expected] of [
        ['uid-1', 'uid-1'],
        ['uid-2', 'uid-1'],
      ]) {
        uid = next;
        clock.advance(10_400);
        await settled();
        assert.equal(owners(leases), [expected]);
      }
    },
    () => uid,
  );
});
lease('is read again where somebody else has written it', () =>
  leaseOf(async (leases, clock, failures) => {
    leases.touch();
    clock.advance(10_400);
    await settled();
    assert.equal(leases.calls.slice(2), ['update', 'get', 'update']);
    assert.equal(failures, []);
  }),
);
lease('is made again where it has gone', () =>
  leaseOf(async (leases, clock) => {
    leases.stored = undefined;
    clock.advance(10_400);
    await settled();
    assert.equal(leases.calls.slice(2), ['update', 'get', 'create']);
  }),
);
lease('is tried again from 200 ms to 7 s while the server is not reached', () =>
  leaseOf(async (leases, clock, failures) => {
    leases.fails = new Error('not reached');
    clock.advance(10_400);
    for (let round = 0; round < 8; round++) {
      await settled();
      clock.advance(clock.asked.at(-1) ?? 0);
    }
    await settled();
    assert.equal(clock.asked.slice(1, 9), [200, 400, 800, 1_600, 3_200, 6_400, 7_000, 7_000]);
    assert.ok(failures.length >= 8);
    leases.fails = undefined;
    clock.advance(7_000);
    await settled();
    assert.is(clock.asked.at(-1), 10_400);
  }),
);
lease.run();
