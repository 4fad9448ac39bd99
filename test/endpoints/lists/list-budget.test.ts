import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ListBudget, type ListLease } from '../../../runtime/endpoints/lists/list-budget.ts';

const test = suite('budget of lists');
const PATIENT = { bytes: 10, waiting: 100, patience: 60_000 };
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
  const budget = new ListBudget(PATIENT);
  const first = await budget.open(6);
  assert.is(budget.tryOpen(6), undefined);
  const second = watched(budget.open(6));
  const third = watched(budget.open(3));
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
  const budget = new ListBudget(PATIENT);
  const [old, young] = [await budget.open(5), await budget.open(5)];
  const more = watched(young.take(1));
  await old.take(20);
  await turn();
  assert.equal([more.done, budget.used], [false, 30]);
  old.close();
  await turn();
  assert.equal([more.done, budget.used], [true, 6]);
  young.close();
});

test('what a list gives back is for others, and it keeps its place', async () => {
  const budget = new ListBudget(PATIENT);
  const [old, young] = [await budget.open(4), await budget.open(4)];
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

test('a list that is larger than the budget gets its turn', async () => {
  const budget = new ListBudget(PATIENT);
  const small = await budget.open(1);
  const large = watched(budget.open(50));
  small.close();
  await turn();
  assert.equal([large.done, budget.used], [true, 50]);
});

test('refuses what would wait too long, or behind too many', async () => {
  const budget = new ListBudget({ bytes: 10, waiting: 1, patience: 20 });
  const lease = await budget.open(10);
  const waiting = budget.open(1);
  const refused = async (open: Promise<ListLease>): Promise<void> => {
    const { status } = (await open.catch((error) => error)) as { status: { code: number; details: { retryAfterSeconds: number } } };
    assert.equal([status.code, status.details.retryAfterSeconds], [429, 1]);
  };
  await refused(budget.open(1));
  await refused(waiting);
  lease.close();
  assert.is(budget.used, 0);
  (await budget.open(10)).close();
});

test('every list comes to its end, and the budget is kept but for the oldest', async () => {
  const lists = fc.array(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(lists, async (plans) => {
      const budget = new ListBudget(PATIENT);
      const most = Math.max(0, ...plans.map((plan) => plan.reduce((sum, bytes) => sum + bytes, 0)));
      await Promise.all(
        plans.map(async ([first = 1, ...rest]) => {
          const lease = await budget.open(first);
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
