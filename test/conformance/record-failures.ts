/**
 * Rewrites the list of known failures with what fails now: node test/conformance/record-failures.ts
 *
 * It names what came to the list and what left it. A case comes to the list only with a reason in the commit.
 */
import path from 'node:path';
import { readCases } from './cases.ts';
import { readKnownFailures, writeKnownFailures } from './known-failures.ts';
import { replay } from './replay.ts';

const cases = await readCases(path.join(import.meta.dirname, 'cases'));
const before = await readKnownFailures();
const record = async (dialect: 'kubernetes' | 'cluster'): Promise<string[]> => {
  const known = new Set(before[dialect]);
  const { failed } = await replay(cases, { dialect, known });
  for (const name of failed.keys()) if (!known.has(name)) console.log(`${dialect}: ${name} fails now`);
  for (const name of known) if (!failed.has(name)) console.log(`${dialect}: ${name} does not fail any more`);
  return [...failed.keys()].sort();
};
const [kubernetes, cluster] = await Promise.all([record('kubernetes'), record('cluster')]);
await writeKnownFailures({ kubernetes, cluster });
