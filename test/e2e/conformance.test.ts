/**
 * Conversations that were recorded with 1.32 go the same way with ours, in both dialects, but for those that `conformance.json` lists.
 * CONFORMANCE_DIR names a folder with further cases. `node test/conformance/record-failures.ts` rewrites the list.
 */
import path from 'node:path';
import { suite } from 'uvu';
import { readCases } from '../conformance/cases.ts';
import { faultsOfList, readKnownFailures, withFurtherCases } from '../conformance/known-failures.ts';
import { replay } from '../conformance/replay.ts';

const test = suite('conformance');

const folder = process.env.CONFORMANCE_DIR ?? '';
const own = await readCases(path.join(import.meta.dirname, '../conformance/cases'));
const cases = withFurtherCases(own, folder === '' ? [] : await readCases(folder));
const list = await readKnownFailures();

const replays = (['kubernetes', 'cluster'] as const).map((dialect) => {
  const result = replay(cases, { dialect, known: new Set(list[dialect]) });
  // Both run from the start; a failure waits for the test that asks for it.
  result.catch(() => {});
  return { dialect, result };
});
for (const { dialect, result } of replays)
  test(dialect, async () => {
    const replayed = await result;
    console.log(`\n${dialect}: ${replayed.passed.length} cases pass, ${replayed.failed.size} fail`);
    const faults = faultsOfList(list[dialect], replayed);
    if (faults.length > 0) throw new Error(`${faults.length} cases are not as test/e2e/conformance.json says:\n${faults.join('\n')}`);
  });

test.run();
