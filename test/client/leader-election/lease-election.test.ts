/** The rules of the election, by a clock and a lease of the test's own. */
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  LEASE_TIMES,
  LeadershipLost,
  type LeaseAccess,
  LeaseElection,
  type LeaseSpec,
  problemOfTimes,
  type Term,
} from '../../../runtime/client/leader-election/lease-election.ts';
import { TestClock } from '../../controllers/test-clock.ts';

const test = suite('election by a lease');

interface StoredLease {
  readonly version: number;
  readonly spec: LeaseSpec;
}

const AWAY = new Error('the store is away');

/** One lease that all see, as a store keeps it. */
class SharedLease {
  stored: StoredLease | undefined;
  writes = 0;

  /** of the lease that is stored */
  get spec(): LeaseSpec {
    return (this.stored as StoredLease).spec;
  }

  write(spec: LeaseSpec): StoredLease {
    this.stored = { version: ++this.writes, spec };
    return this.stored;
  }
}

/** One process. */
class Candidate {
  readonly clock = new TestClock();
  readonly errors: unknown[] = [];
  readonly leaders: string[] = [];
  /** times that it read the lease again while it had it */
  slowPaths = 0;
  readonly stopping = new AbortController();
  readonly election: LeaseElection<StoredLease>;
  /** its store is away: what it asks fails, or is never answered */
  away: false | 'failing' | 'silent' = false;
  /** the lease is written though no answer comes */
  losesAnswers = false;
  term: Term | undefined;
  terms = 0;
  /** how its run has ended */
  ended: unknown;

  constructor(name: string, shared: SharedLease) {
    const asked = async <T>(answer: () => T): Promise<T> => {
      if (this.away === 'failing') throw AWAY;
      if (this.away === 'silent') return new Promise(() => {});
      const given = answer();
      return this.losesAnswers ? new Promise(() => {}) : given;
    };
    const access: LeaseAccess<StoredLease> = {
      read: () => asked(() => shared.stored),
      create: (spec) => asked(() => (shared.stored === undefined ? shared.write(spec) : undefined)),
      update: (lease, spec) => asked(() => (shared.stored?.version === lease.version ? shared.write(spec) : undefined)),
    };
    this.election = new LeaseElection(access, {
      ...LEASE_TIMES,
      identity: name,
      clock: this.clock,
      onLeader: (leader) => this.leaders.push(leader),
      onSlowPath: () => this.slowPaths++,
      onError: (error) => this.errors.push(error),
    });
  }

  run(): this {
    this.ended = undefined;
    const lead = (term: Term): Promise<void> => {
      this.term = term;
      this.terms++;
      return new Promise((resolve) => term.signal.addEventListener('abort', () => resolve(), { once: true }));
    };
    this.election.run(lead, this.stopping.signal).then(
      () => (this.ended = 'released'),
      (error) => (this.ended = error),
    );
    return this;
  }

  get leads(): boolean {
    return this.term?.holds() === true;
  }
}

/** As many turns as promises of an attempt take. */
async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}

const TICK = 250;

/** Time goes on for all of them, by a tick at a time. @param each looks at each moment */
async function pass(milliseconds: number, candidates: readonly Candidate[], each = () => {}): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += TICK) {
    for (const { clock } of candidates) clock.advance(TICK);
    await settled();
    each();
  }
}

async function elected(shared = new SharedLease()): Promise<{ shared: SharedLease; leader: Candidate; other: Candidate }> {
  const leader = new Candidate('a', shared).run();
  await settled();
  const other = new Candidate('b', shared).run();
  await settled();
  assert.equal([leader.leads, other.leads], [true, false]);
  return { shared, leader, other };
}

const stop = async (...candidates: readonly Candidate[]): Promise<void> => {
  for (const { stopping } of candidates) stopping.abort(new Error('the test ends'));
  await settled();
};

test('acquires a lease that is not there, and says since when', async () => {
  const { shared, leader, other } = await elected();
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime, renewTime } = shared.spec;
  assert.equal([holderIdentity, leaseDurationSeconds, leaseTransitions], ['a', 15, 0]);
  assert.is(acquireTime, new Date(leader.clock.date()).toISOString().replace('Z', '000Z'));
  assert.is(renewTime, acquireTime);
  assert.equal([leader.leaders, other.leaders], [['a'], ['a']]);
  await stop(leader, other);
});

test('renews it each retry period', async () => {
  const { shared, leader, other } = await elected();
  const before = shared.stored as StoredLease;
  await pass(20_000, [leader, other], () => assert.equal([leader.leads, other.leads], [true, false]));
  const after = shared.stored as StoredLease;
  assert.is(after.version - before.version, 10);
  assert.equal([leader.slowPaths, other.slowPaths], [0, 0]);
  assert.is(after.spec.acquireTime, before.spec.acquireTime);
  assert.is.not(after.spec.renewTime, before.spec.renewTime);
  assert.is(after.spec.leaseTransitions, 0);
  await stop(leader, other);
});

for (const [what, away] of [
  ['fails', 'failing'],
  ['does not answer', 'silent'],
] as const)
  test(`leads until the renew deadline where the store ${what}, and another one only after the lease duration`, async () => {
    const { shared, leader, other } = await elected();
    leader.away = away;
    let [led, waited] = [0, 0];
    await pass(25_000, [leader, other], () => {
      assert.not.ok(leader.leads && other.leads);
      if (leader.leads) led += TICK;
      else if (!other.leads) waited += TICK;
    });
    assert.ok(led >= 9_000 && led < LEASE_TIMES.renewDeadline, `${led}`);
    assert.ok(led + waited + TICK >= LEASE_TIMES.leaseDuration && other.leads, `${led} and ${waited}`);
    assert.instance(leader.ended, LeadershipLost);
    assert.match((leader.ended as Error).message, 'could not be renewed in time');
    assert.equal([shared.spec.holderIdentity, shared.spec.leaseTransitions], ['b', 1]);
    await stop(leader, other);
  });

test('the time of a term counts from when its renewal was asked for, though the answer is lost', async () => {
  const { leader, other } = await elected();
  leader.losesAnswers = true;
  await pass(9_750, [leader, other], () => assert.ok(leader.leads));
  await pass(500, [leader, other]);
  assert.not.ok(leader.leads);
  await stop(leader, other);
});

test('a process that stood still knows that its term is over before anybody tells it', async () => {
  const { leader, other } = await elected();
  leader.away = 'failing';
  await pass(20_000, [other]);
  assert.ok(other.leads);
  // its clock has gone on, and none of its timers has been called
  const { term } = leader;
  assert.ok(term?.holds());
  const cancel = leader.clock.after(0, () => {
    assert.not.ok(term?.holds());
    assert.not.ok(term?.signal.aborted);
  });
  leader.clock.skip(20_000);
  cancel();
  await settled();
  assert.ok(term?.signal.aborted);
  assert.instance(leader.ended, LeadershipLost);
  await stop(leader, other);
});

test('a leader that stood still finds another one there, and waits for its turn again', async () => {
  const { shared, leader, other } = await elected();
  await pass(20_000, [other]);
  assert.ok(other.leads);
  leader.clock.skip(20_000);
  await settled();
  assert.instance(leader.ended, LeadershipLost);
  leader.run();
  await pass(20_000, [leader, other], () => assert.equal([leader.leads, other.leads], [false, true]));
  await stop(other);
  await pass(5_000, [leader]);
  assert.equal([leader.leads, leader.terms, shared.spec.leaseTransitions], [true, 2, 2]);
  await stop(leader);
});

test('who ends gives the lease up, and the next one has it with its next attempt', async () => {
  const { shared, leader, other } = await elected();
  await stop(leader);
  assert.is(leader.ended, 'released');
  assert.equal([shared.spec.holderIdentity, shared.spec.leaseDurationSeconds], ['', 1]);
  await pass(2_000 * 2.2 + 250, [other]);
  assert.ok(other.leads);
  assert.equal([shared.spec.leaseDurationSeconds, shared.spec.leaseTransitions], [15, 1]);
  await stop(other);
});

test('who ends while another one leads changes nothing', async () => {
  const { shared, leader, other } = await elected();
  const before = shared.stored;
  await stop(other);
  assert.is(shared.stored, before);
  assert.ok(leader.leads);
  await stop(leader);
});

for (const [what, holderIdentity] of [
  ['another holder', 'c'],
  ['no holder', ''],
] as const)
  test(`a leader whose lease somebody has given ${what} leads no longer`, async () => {
    const { shared, leader } = await elected();
    shared.write({ ...shared.spec, holderIdentity });
    await pass(2_250, [leader]);
    if (holderIdentity === '') assert.equal([leader.leads, shared.spec.holderIdentity], [true, 'a']);
    else assert.match((leader.ended as Error).message, 'c holds the lease');
    await stop(leader);
  });

test('a leader whose lease was written by others, or removed, goes on', async () => {
  const { shared, leader, other } = await elected();
  shared.write(shared.spec);
  await pass(4_000, [leader, other]);
  assert.ok(leader.leads);
  shared.stored = undefined;
  await pass(2_250, [leader]);
  assert.equal([leader.leads, leader.terms, shared.spec.holderIdentity], [true, 1, 'a']);
  assert.is(leader.slowPaths, 1, 'the lease that was removed was not read');
  await stop(leader, other);
});

for (const [what, renewTime, seconds] of [
  ['long past', '2001-01-01T00:00:00.000000Z', 15],
  ['far in the future', '2999-01-01T00:00:00.000000Z', 15],
  ['no time', 'never', 15],
  ['of a shorter lease', '2999-01-01T00:00:00.000000Z', 5],
] as const)
  test(`what a lease says of times counts for nothing but its duration: ${what}`, async () => {
    const shared = new SharedLease();
    shared.write({ holderIdentity: 'gone', leaseDurationSeconds: seconds, acquireTime: renewTime, renewTime, leaseTransitions: 7 });
    const next = new Candidate('b', shared).run();
    await settled();
    await pass(seconds * 1_000 - 250, [next], () => assert.not.ok(next.leads));
    await pass(5_000, [next]);
    assert.ok(next.leads);
    assert.is(shared.spec.leaseTransitions, 8);
    await stop(next);
  });

test('a clock that is set meanwhile changes nothing', async () => {
  const { leader, other } = await elected();
  leader.clock.set(3_600_000);
  other.clock.set(-3_600_000);
  await pass(20_000, [leader, other], () => assert.equal([leader.leads, other.leads], [true, false]));
  await stop(leader, other);
});

test('of many that find no lease, or one that is given up, one has it', async () => {
  const shared = new SharedLease();
  const all = ['a', 'b', 'c', 'd'].map((name) => new Candidate(name, shared).run());
  const leading = (): Candidate[] => all.filter((each) => each.leads);
  await pass(5_000, all, () => assert.is(leading().length, 1));
  const [first] = leading();
  await stop(first as Candidate);
  await pass(5_000, all, () => assert.ok(leading().length <= 1));
  assert.is(leading().length, 1);
  await stop(...all);
});

test('a store that is away is asked again, and each failure is told', async () => {
  const candidate = new Candidate('a', new SharedLease());
  candidate.away = 'failing';
  candidate.run();
  await pass(10_000, [candidate]);
  assert.ok(candidate.errors.length >= 2 && candidate.errors.every((error) => error === AWAY));
  candidate.away = false;
  await pass(5_000, [candidate]);
  assert.ok(candidate.leads);
  await stop(candidate);
});

for (const [times, problem] of [
  [{}, undefined],
  [{ leaseDuration: 0 }, 'leaseDuration must be greater than zero'],
  [{ renewDeadline: -1 }, 'renewDeadline must be greater than zero'],
  [{ retryPeriod: Number.NaN }, 'retryPeriod must be greater than zero'],
  [{ leaseDuration: 10_000 }, 'leaseDuration must be greater than renewDeadline'],
  [{ renewDeadline: 2_400 }, 'renewDeadline must be greater than retryPeriod*JitterFactor, which is retryPeriod*1.2'],
  [{ renewDeadline: 2_401 }, undefined],
  [{ leaseDuration: 15_500 }, 'leaseDuration must be whole seconds'],
] as const)
  test(`times that fit together: ${JSON.stringify(times)}`, () => assert.is(problemOfTimes({ ...LEASE_TIMES, ...times }), problem));

test.run();
