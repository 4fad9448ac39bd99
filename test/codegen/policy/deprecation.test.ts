/**
 * What lifecycles say, as upstream's own tests have it: rows of `deprecation.json` in the folder that TABLES_DIR names, by default beside the
 * checkout. A release 0.0 and a replacement without a kind count as not stated. Rows of servers that go on serving what was removed are about flags that this
 * server has not, and rows of versions such as `v1.20.1-beta.0` about builds: here a release has two numbers.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { GroupVersion } from '../../../codegen/model/model.ts';
import { isServed } from '../../../codegen/policy/elements/kinds.ts';
import { struct } from '../../../runtime/contract/descriptor.ts';
import type { Lifecycle } from '../../../runtime/contract/kind.ts';
import { chosenRelease } from '../../../runtime/registry/emulation/chosen-release.ts';
import { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { identity } from '../../kinds/context.ts';
import { document, kind, meta, protoFile, resource, type SchemaFiles } from '../tree.ts';
import { stateOf } from './states.ts';

interface Version {
  readonly major: number;
  readonly minor: number;
}

type Resources = Readonly<Record<string, { readonly removed?: Version }>>;

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
  readonly major?: string;
  readonly minor?: string;
  /** by version and by name, that of a subresource after a slash */
  readonly storage?: Readonly<Record<string, Resources>>;
  readonly removed?: readonly string[];
  readonly resource?: string;
}

function release(version: Version | undefined): string | undefined {
  return version === undefined || (version.major === 0 && version.minor === 0) ? undefined : `${version.major}.${version.minor}`;
}

function lifecycleOf({ introduced, deprecated, removed, replacement }: NonNullable<Row['lifecycle']>): Lifecycle {
  const stated = { deprecated: release(deprecated), removed: release(removed), replacement: replacement?.kind ? replacement : undefined };
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

function numbersOf({ major = '', minor = '' }: Row): { error: boolean; major: number; minor: number } {
  try {
    const chosen = chosenRelease({ 'emulated-release': `${major}.${minor}`, 'emulated-version': [] }, { oldest: '0.0', current: '9.99' });
    const [first, second] = chosen.split('.').map(Number);
    return { error: false, major: first ?? 0, minor: second ?? 0 };
  } catch {
    return { error: true, major: 0, minor: 0 };
  }
}

const kindOf = (resource: string): string => `${resource.charAt(0).toUpperCase()}${resource.slice(1)}`;

/** A group version whose kinds and resources are those, each with its subresources. */
function stateVersion({ openapi, proto }: SchemaFiles, version: string, resources: Resources): void {
  const own = Object.keys(resources).filter((name) => !name.includes('/'));
  const parts = (of: string) => Object.keys(resources).filter((name) => name.startsWith(`${of}/`));
  const kinds = own.map((name) => {
    const removed = release(resources[name]?.removed);
    const lifecycle = { introduced: '1.16', ...(removed !== undefined && { removed }) };
    return [kindOf(name), { ...kind({ metadata: meta('ObjectMeta') }), 'x-cluster-lifecycle': lifecycle }];
  });
  const served = own.map((name) => {
    const subresources = parts(name).map((part) => ({ name: part.slice(name.length + 1), kind: kindOf(name), verbs: ['get'] }));
    return resource({ name, kind: kindOf(name), singular: name, subresources });
  });
  const message = 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;';
  openapi[`ends/${version}`] = document('ends.${groupDomain}', version, `test.ends.${version}`, served, Object.fromEntries(kinds));
  proto[`ends/${version}`] = protoFile(`test.ends.${version}`, Object.fromEntries(own.map((name) => [kindOf(name), message])));
}

/** @returns names of the resources and subresources that a release serves, by their version; types of a version stay when its last resource has gone */
async function servedAt(at: string, versions: Readonly<Record<string, Resources>>): Promise<Record<string, string[]>> {
  const state = await stateOf((files) => {
    for (const [version, resources] of Object.entries(versions)) stateVersion(files, version, resources);
  });
  const ours = state.model.at(at).groupVersions.filter(({ folder, resources }) => folder.startsWith('ends/') && resources.length > 0);
  const names = ({ resources }: GroupVersion): string[] =>
    resources.flatMap(({ name, subresources }) => [name, ...subresources.map((part) => `${name}/${part.name}`)]).sort();
  return Object.fromEntries(ours.map((groupVersion) => [groupVersion.version, names(groupVersion)]));
}

async function isRemoved({ removed = [], resource = '' }: Row): Promise<boolean> {
  const gone = Object.fromEntries([...removed, `${removed[0]}/scale`].map((name) => [name, { removed: { major: 1, minor: 20 } }]));
  const { v1 = [] } = await servedAt('1.20', { v1: { [resource]: {}, [`${resource}/scale`]: {}, other: {}, ...gone } });
  return !v1.includes(resource) && !v1.includes(`${resource}/scale`);
}

const tests: Readonly<Record<string, (row: Row) => unknown>> = {
  // Nothing is current in a row without a release: whatever is stated is of the past.
  'is-deprecated': (row) => warningOf(row, release(row.current) ?? '99.0') !== '',
  'removed-release': ({ lifecycle = {} }) => lifecycleOf(lifecycle).removed ?? '',
  warning: (row) => warningOf(row, '99.0'),
  'major-minor': numbersOf,
  'remove-deleted': ({ evaluator, storage = {} }) => servedAt(evaluator?.currentVersion ?? '', storage),
  'remove-with-subresources': isRemoved,
  'should-serve': ({ lifecycle = {}, evaluator }) => isServed({ lifecycle: lifecycleOf(lifecycle) }, evaluator?.currentVersion ?? ''),
};

const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../../shared/tables'), 'deprecation.json');
const lifecycles = suite('lifecycles');
if (!existsSync(file)) console.log(`SKIPPED: no table at ${file}`);
else {
  const { rows }: { rows: Row[] } = JSON.parse(readFileSync(file, 'utf8'));
  const goesOn = ({ evaluator }: Row): boolean => evaluator?.isAlpha === true || evaluator?.serveRemovedAPIsOneMoreRelease === true;
  const ofBuild = ({ test, minor = '' }: Row): boolean => test === 'major-minor' && /\d\D/.test(minor);
  const ours = rows.filter((row) => Object.hasOwn(tests, row.test) && !(goesOn(row) && row.expected === true) && !ofBuild(row));
  const namesOf = (versions: Readonly<Record<string, Resources>>) =>
    Object.fromEntries(Object.entries(versions).map(([version, resources]) => [version, Object.keys(resources).sort()]));
  for (const row of ours)
    lifecycles(row.name, async () => {
      const expected = row.test === 'remove-deleted' ? namesOf(row.expected) : row.expected;
      assert.equal(await tests[row.test]?.(row), expected);
    });
  if (ours.length === 0) lifecycles.skip('no rows in the table', () => {});
}
lifecycles.run();
