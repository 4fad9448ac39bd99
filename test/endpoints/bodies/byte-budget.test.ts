import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteBudget, type ByteLease } from '../../../runtime/endpoints/bodies/byte-budget.ts';
import { StatusError } from '../../../runtime/status/status.ts';

const test = suite('budgets of bytes');
const PATIENT = { bytes: 10, waiting: 100, patience: 60_000, refusal: 'too many requests of this kind' };
let users = 0;
/** Who has no other lease. */
const someone = () => `user-${users++}`;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Notes when a promise is there. */
function watched<T>(promise: Promise<T>): { done: boolean; promise: Promise<T> } {
  const state = { done: false, promise };
  promise.then(
    () => (state.done = true),
    () => (state.done = true),
  );
  return state;
}

test('what fits is there at once, what does not waits until others end', async () => {
  const budget = new ByteBudget(PATIENT);
  const first = await budget.open(6, someone());
  assert.is(budget.tryOpen(6, someone()), undefined);
  const second = watched(budget.open(6, someone()));
  const third = watched(budget.open(3, someone()));
  await turn();
  assert.equal([second.done, third.done, budget.used], [false, false, 6]);
  first.close();
  await turn();
  assert.equal([second.done, third.done, budget.used], [true, true, 9]);
  (await second.promise).close();
  (await second.promise).close();
  (await third.promise).close();
  assert.is(budget.used, 0);
});

test('the oldest goes beyond the budget, others wait for it', async () => {
  const budget = new ByteBudget(PATIENT);
  const [old, young] = [await budget.open(5, someone()), await budget.open(5, someone())];
  const more = watched(young.take(1));
  await old.take(20);
  await turn();
  assert.equal([more.done, budget.used], [false, 30]);
  old.close();
  await turn();
  assert.equal([more.done, budget.used], [true, 6]);
  young.close();
});

test('what a lease gives back is for others, and it keeps its place', async () => {
  const budget = new ByteBudget(PATIENT);
  const [old, young] = [await budget.open(4, someone()), await budget.open(4, someone())];
  await old.take(20);
  const more = watched(young.take(5));
  old.keep(1);
  old.keep(3);
  await turn();
  assert.equal([more.done, budget.used], [true, 10]);
  await old.take(20);
  assert.is(budget.used, 30);
  old.close();
  young.close();
  assert.is(budget.used, 0);
});

test('a lease that is larger than the budget gets its turn', async () => {
  const budget = new ByteBudget(PATIENT);
  const small = await budget.open(1, someone());
  const large = watched(budget.open(50, someone()));
  small.close();
  await turn();
  assert.equal([large.done, budget.used], [true, 50]);
});

test('refuses what would wait too long, or behind too many', async () => {
  const budget = new ByteBudget({ ...PATIENT, waiting: 1, patience: 20 });
  const lease = await budget.open(10, someone());
  const waiting = budget.open(1, someone());
  const refused = async (open: Promise<ByteLease>): Promise<void> => {
    const { status } = (await open.catch((error) => error)) as { status: { code: number; details: { retryAfterSeconds: number } } };
    assert.equal([status.code, status.details.retryAfterSeconds], [429, 1]);
  };
  await refused(budget.open(1, someone()));
  await refused(waiting);
  lease.close();
  assert.is(budget.used, 0);
  (await budget.open(10, someone())).close();
});

test('a user who has leases leaves something to others', async () => {
  const budget = new ByteBudget({ ...PATIENT, bytes: 64 });
  const held: ByteLease[] = [];
  for (let lease = budget.tryOpen(1, 'jane'); lease !== undefined; lease = budget.tryOpen(1, 'jane')) held.push(lease);
  assert.is(held.length, 48);
  const more = watched(budget.open(1, 'jane'));
  const [first, second] = [await budget.open(4, 'joe'), await budget.open(1, 'joe')];
  assert.equal([more.done, budget.used], [false, 53]);
  // with what others have there is less for her
  for (const lease of held.splice(0, 4)) lease.close();
  await turn();
  assert.equal([more.done, budget.used], [false, 49]);
  held.pop()?.close();
  await turn();
  assert.equal([more.done, budget.used], [true, 49]);
  for (const lease of [...held, first, second, await more.promise]) lease.close();
  assert.is(budget.used, 0);
});

test('one lease takes no more than what a user may have', async () => {
  const budget = new ByteBudget({ ...PATIENT, bytes: 64 });
  const lease = await budget.open(1, 'jane');
  let taken = 1;
  while (lease.tryTake(1)) taken++;
  assert.equal([taken, budget.used], [48, 48]);
  lease.keep(1);
  assert.ok(lease.tryTake(40));
  assert.not(lease.tryTake(40));
  lease.close();
});

test('a user fills at most half of the queue', async () => {
  const budget = new ByteBudget({ ...PATIENT, waiting: 4 });
  const lease = await budget.open(10, 'jane');
  const waiting = [budget.open(1, 'jane'), budget.open(1, 'jane')];
  assert.instance(await budget.open(1, 'jane').catch((error) => error), StatusError);
  waiting.push(budget.open(1, 'joe'));
  lease.close();
  for (const each of waiting) (await each).close();
  assert.is(budget.used, 0);
});

test('every lease comes to its end, and the budget is kept but for the oldest', async () => {
  const leases = fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(leases, async (plans) => {
      const budget = new ByteBudget(PATIENT);
      const most = Math.max(0, ...plans.map((plan) => plan.reduce((sum, bytes) => sum + bytes, 0)));
      await Promise.all(
        plans.map(async ([first = 1, ...rest], index) => {
          const lease = await budget.open(first, `user-${index % 3}`);
          for (const bytes of rest) {
            await lease.take(bytes);
            assert.ok(budget.used <= PATIENT.bytes + most, `${budget.used} bytes are held`);
            await turn();
          }
          lease.close();
        }),
      );
      assert.is(budget.used, 0);
    }),
  );
});

test.run();
