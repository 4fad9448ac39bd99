/**
 * The life of a group over many releases, as a table tells it: each step from a release to the next is allowed, and a step that is changed
 * breaks the rule that the table names. The schemas of a release tell what had happened by then. Rows of `lifecycle-example.json` in the folder
 * that TABLES_DIR names, by default beside the checkout.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPolicy, type PolicyOutcome } from '../../../codegen/policy/check-policy.ts';
import type { Json, SchemaFiles } from '../tree.ts';
import { BETA, messagesOf, policyToys, stateOf, toysOf } from './states.ts';

interface Row {
  readonly name: string;
  readonly served: readonly string[];
  readonly deprecated: readonly string[];
  /** the version that is stored, and preferred */
  readonly storage: string;
}

interface Violation {
  readonly name: string;
  readonly at: string;
  readonly change: Partial<Row>;
  readonly rule: string;
}

const GROUP = 'toys.${groupDomain}';
const MONTHS_BETWEEN = 4;

/** Releases of four months each, one for each row, and some to come. */
function releasesOf(count: number): Record<string, string> {
  const date = (index: number): string => new Date(Date.UTC(2030, index * MONTHS_BETWEEN, 15)).toISOString().slice(0, 10);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`1.${index}`, date(index)]));
}

/** @param rows up to the release whose schemas are made */
function groupOf(rows: readonly Row[], all: number): (files: SchemaFiles) => void {
  const current = rows.length - 1;
  const { storage } = rows[current] as Row;
  return (files) => {
    policyToys(files);
    const template = structuredClone(files.openapi[BETA]);
    const proto = files.proto[BETA] as string;
    for (const folder of ['toys/v1', 'toys/v1beta1', 'toys/v1alpha1', 'config/v1']) {
      delete files.openapi[folder];
      delete files.proto[folder];
    }
    files.releases = { current: `1.${current}`, oldest: '1.0', releases: releasesOf(all + 1) };
    files.featureGates = {
      ToyParts: [{ release: '1.0', stage: 'Alpha', default: false }],
      ToyTints: [{ release: '1.0', stage: 'Beta', default: true }],
    };
    for (const table of ['flags', 'metrics', 'behaviours']) delete files.raw[`schemas/${table}.yaml`];
    for (const version of new Set(rows.flatMap(({ served }) => served))) {
      const folder = `toys/${version}`;
      files.openapi[folder] = versionOf(structuredClone(template), version, lifecycleOf(rows, version), storage);
      files.proto[folder] = proto.replace('test.toys.v1beta1', `test.toys.${version}`);
      toysOf(files, folder).storage = { version: storage };
    }
  };
}

function versionOf(content: Json, version: string, lifecycle: object, storage: string): Json {
  Object.assign(content['x-cluster-group-version'], {
    version,
    package: `test.toys.${version}`,
    enabledByDefault: !version.includes('alpha'),
    ...(version === storage && { versionPriority: 1_000 }),
  });
  const { schemas } = content.components;
  delete schemas.ToySpec.properties.gone;
  for (const name of ['Toy', 'ToyList']) schemas[name]['x-cluster-lifecycle'] = { ...lifecycle };
  if (version === storage) delete schemas.Toy['x-cluster-conversion'];
  else schemas.Toy['x-cluster-conversion'] = { to: { group: GROUP, version: storage, kind: 'Toy' }, steps: [] };
  return content;
}

function lifecycleOf(rows: readonly Row[], version: string): Json {
  const introduced = rows.findIndex(({ served }) => served.includes(version));
  const deprecated = rows.findIndex((row) => row.deprecated.includes(version));
  const removed = rows.findIndex(({ served }, index) => index > introduced && !served.includes(version));
  return {
    introduced: `1.${introduced}`,
    ...(deprecated >= 0 && { deprecated: `1.${deprecated}` }),
    ...(removed >= 0 && { removed: `1.${removed}` }),
  };
}

const file = path.join(process.env.TABLES_DIR ?? path.join(import.meta.dirname, '../../../../shared/tables'), 'lifecycle-example.json');
const life = suite('the life of a group');

async function outcomeOfStep(rows: readonly Row[], all: number): Promise<PolicyOutcome> {
  const before = await stateOf(groupOf(rows.slice(0, -1), all));
  return checkPolicy(before, await stateOf(groupOf(rows, all)), { knowsRelease: true });
}

if (!existsSync(file)) console.log(`SKIPPED: no table at ${file}`);
else {
  const { rows, violations }: { rows: Row[]; violations: Violation[] } = JSON.parse(readFileSync(file, 'utf8'));
  for (const index of rows.keys())
    if (index > 0)
      life(`${rows[index - 1]?.name} to ${rows[index]?.name} is allowed`, async () =>
        assert.equal(messagesOf(await outcomeOfStep(rows.slice(0, index + 1), rows.length)), []),
      );
  for (const { name, at, change, rule } of violations)
    life(`${name} breaks rule ${rule}`, async () => {
      const index = rows.findIndex((row) => row.name === at);
      const changed = [...rows.slice(0, index), { ...(rows[index] as Row), ...change }];
      const outcome = await outcomeOfStep(changed, rows.length);
      assert.ok(
        outcome.findings.some((finding) => finding.rule === rule),
        messagesOf(outcome).join('\n'),
      );
    });
  if (rows.length < 2 && violations.length === 0) life.skip('no steps in the table', () => {});
}
life.run();
