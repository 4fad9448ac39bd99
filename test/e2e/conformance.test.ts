/**
 * Every case in `conformance.json` passes in its dialect. `node test/e2e/record-conformance.ts` rewrites the list; a case leaves it only
 * with a reason in the commit.
 */
import { suite } from 'uvu';
import { findConformance, type Replay, readList, replay } from '../harness/conformance.ts';

const test = suite('conformance');

const folder = findConformance();
if (folder === undefined) console.log('SKIPPED: no folder with recorded conversations (CONFORMANCE_DIR)');
else {
  const list = await readList();
  const areas = list.areas.map((area) => new RegExp(area));
  const dialects = (['kubernetes', 'cluster'] as const).map((dialect) => {
    const required = new Set(list[dialect].passing);
    const chosen = (name: string) => required.has(name) || areas.some((area) => area.test(name));
    const result = replay(folder, dialect, chosen);
    // Both run from the start; a failure waits for the test that asks for it.
    result.catch(() => {});
    return { dialect, required, result };
  });
  for (const { dialect, required, result } of dialects)
    test(dialect, async () => {
      const { passed, failed } = await result;
      report(dialect, required, { passed, failed });
      const present = new Set(passed);
      const broken = [...required].filter((name) => !present.has(name));
      if (broken.length > 0) throw new Error(`${broken.length} cases that must pass do not:\n${explain(broken, failed)}`);
    });
}

function report(dialect: string, required: ReadonlySet<string>, { passed, failed }: Replay): void {
  const more = passed.filter((name) => !required.has(name));
  const open = failed.filter((one) => !required.has(one.case));
  console.log(`\n${dialect}: ${required.size} required; ${more.length} others pass (to be added), ${open.length} others fail`);
  for (const name of more) console.log(`  passes: ${name}`);
  for (const one of open) console.log(`  fails:  ${one.case}`);
}

function explain(broken: readonly string[], failed: Replay['failed']): string {
  return broken
    .map((name) => {
      const failures = failed.find((one) => one.case === name)?.failures ?? [{ step: '(none)', why: ['the case was not replayed'] }];
      return [name, ...failures.flatMap(({ step, why }) => [`  step ${step}`, ...why.map((line) => `    ${line}`)])].join('\n');
    })
    .join('\n');
}

test.run();
