/**
 * A quota against what there is, while many write at the same time and servers are killed: at no revision there is more than the quota allows, or more
 * than it says; once nobody writes it says what there is. QUOTA_RUNS is the number of runs of each kind.
 */
import fc from 'fast-check';
import { suite } from 'uvu';
import { type Act, LimitedNamespace, requireWithin } from './quota-usage/limited-namespace.ts';
import { step } from './quota-usage/writers.ts';

const test = suite('usage of a quota');

const numRuns = Number(process.env.QUOTA_RUNS ?? 1);

/** @param isKilled whether the server may be killed */
const acts = (isKilled: boolean): fc.Arbitrary<Act[]> =>
  fc.array(
    fc.record({
      steps: fc.array(step, { minLength: 60, maxLength: 120 }),
      writers: fc.integer({ min: 8, max: 64 }),
      killedAfter: isKilled ? fc.integer({ min: 5, max: 150 }) : fc.constant(Number.POSITIVE_INFINITY),
    }),
    { minLength: 2, maxLength: 4 },
  );

for (const { who, workers, isKilled } of [
  { who: 'one process', workers: 1, isKilled: true },
  { who: 'two workers', workers: 2, isKilled: true },
  { who: 'two workers that go on', workers: 2, isKilled: false },
])
  test(`${who} hold it exactly`, async () => {
    const property = fc.asyncProperty(acts(isKilled), async (all) => {
      const limited = await LimitedNamespace.create(workers);
      try {
        for (const act of all) {
          await limited.perform(act);
          requireWithin(await limited.quiet());
        }
        await limited.requireRefusals();
        requireWithin(await limited.quiet());
      } finally {
        await limited.end();
      }
    });
    // what fails does so by chance, for the order of writes is not the property's: nothing smaller would tell more
    const outcome = await fc.check(property, { numRuns, endOnFailure: true });
    if (outcome.failed) throw new Error(`seed ${outcome.seed}: ${outcome.errorInstance}`, { cause: outcome.errorInstance });
  });

test.run();
