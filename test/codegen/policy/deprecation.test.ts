/**
 * What lifecycles say, as upstream's own tests have it: rows of `deprecation.json` in the folder that TABLES_DIR names, by default beside the
 * checkout. A release 0.0 counts as not stated. Rows of servers that go on serving what was removed are about flags that this server has not.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isServed } from '../../../codegen/policy/elements/kinds.ts';
import { struct } from '../../../runtime/contract/descriptor.ts';
import type { Lifecycle } from '../../../runtime/contract/kind.ts';
import { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { identity } from '../../kinds/context.ts';

interface Version {
  readonly major: number;
  readonly minor: number;
}

interface Row {
  readonly name: string;
  readonly test: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test has expectations of its own form
  readonly expected: any;
  readonly lifecycle?: {
    readonly introduced?: Version;
    readonly deprecated?: Version;
    readonly removed?: Version;
    readonly replacement?: { group: string; version: string; kind: string };
  };
  readonly current?: Version;
  readonly evaluator?: { currentVersion: string; isAlpha: boolean; serveRemovedAPIsOneMoreRelease: boolean };
  readonly gvk?: { group: string; version: string; kind: string };
}

function release(version: Version | undefined): string | undefined {
  return version === undefined || (version.major === 0 && version.minor === 0) ? undefined : `${version.major}.${version.minor}`;
}

function lifecycleOf({ introduced, deprecated, removed, replacement }: NonNullable<Row['lifecycle']>): Lifecycle {
  const stated = { deprecated: release(deprecated), removed: release(removed), replacement };
  return {
    introduced: release(introduced) ?? '0.0',
    ...Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== undefined)),
  };
}

function warningOf(row: Row, of: string): string {
  const { group = '', version = '', kind = '' } = row.gvk ?? {};
  const lifecycle = lifecycleOf(row.lifecycle ?? {});
  const type = struct('example.Kind', () => []);
  const data = { type, schemaHash: 1, lifecycle };
  return new Kind({ group, version, kind, data, rules: {}, identity, release: of, featureEnabled: () => true }).deprecation ?? '';
}

const tests: Readonly<Record<string, (row: Row) => unknown>> = {
  // Nothing is current in a row without a release: whatever is stated is of the past.
  'is-deprecated': (row) => warningOf(row, release(row.current) ?? '99.0') !== '',
  'removed-release': ({ lifecycle = {} }) => lifecycleOf(lifecycle).removed ?? '',
  warning: (row) => warningOf(row, '99.0'),
  'should-serve': ({ lifecycle = {}, evaluator }) => isServed({ lifecycle: lifecycleOf(lifecycle) }, evaluator?.currentVersion ?? ''),
};

const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../../shared/tables'), 'deprecation.json');
const lifecycles = suite('lifecycles');
if (!existsSync(file)) console.log(`SKIPPED: no table at ${file}`);
else {
  const { rows }: { rows: Row[] } = JSON.parse(readFileSync(file, 'utf8'));
  const goesOn = ({ evaluator }: Row): boolean => evaluator?.isAlpha === true || evaluator?.serveRemovedAPIsOneMoreRelease === true;
  const ours = rows.filter((row) => Object.hasOwn(tests, row.test) && !(goesOn(row) && row.expected === true));
  for (const row of ours) lifecycles(row.name, () => assert.equal(tests[row.test]?.(row), row.expected));
  if (ours.length === 0) lifecycles.skip('no rows in the table', () => {});
}
lifecycles.run();
