/** Definitions that a server is started with: what is served of them, and what is said of those that are wrong. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../generated/identity.ts';
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import { ruleModules } from '../../generated/rules.ts';
import { createIdentity } from '../../runtime/contract/identity.ts';
import type { RuleContext } from '../../runtime/contract/kind-rules.ts';
import { OWN_WORK } from '../../runtime/contract/request-context.ts';
import { type HeldDefinitionParts, heldDefinitions, readDefinitionFiles } from '../../runtime/custom-resources/held-definitions.ts';
import { FileError } from '../../runtime/files/file-error.ts';
import { BuiltInApi } from '../../runtime/registry/resources/built-in-api.ts';
import { lampsDefinition } from '../harness/aggregated-server.ts';
import type { Json } from '../harness/client.ts';
import { NO_SERVICES } from '../harness/no-services.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'held-definitions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const identity = createIdentity(identityData, 'kubernetes');
const api = new BuiltInApi({
  data: groupVersions,
  identity,
  rules: ruleModules,
  serves: () => false,
  featureEnabled: () => true,
  release: currentRelease,
});
const unused = (): never => assert.unreachable('nobody asks for it') as never;
const parts: HeldDefinitionParts = {
  kind: await api.storedKinds.kind('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'),
  context: {
    text: identity.text,
    now: Date.now,
    dryRun: false,
    request: OWN_WORK,
    explainsCosts: false,
    featureEnabled: () => true,
    allowsPrivileged: true,
    metadataProblem: () => undefined,
  } as unknown as RuleContext,
  load: unused,
  machinery: unused,
  conversion: {
    reviewGroup: 'apiextensions.k8s.io',
    userAgent: 'tests',
    metrics: {} as never,
    serviceRoutes: NO_SERVICES,
    mayTakeLong: true,
  },
};

/** The definition of lamps with a change. */
function lamps(change: (definition: Json) => void = () => {}): string {
  const definition = structuredClone(lampsDefinition(identity.text)) as Json;
  change(definition);
  return JSON.stringify(definition);
}

const held = (...texts: string[]) =>
  heldDefinitions(
    texts.map((text, index) => ({ text, source: `file-${index}` })),
    parts,
  );

function problem(...texts: string[]): string {
  try {
    held(...texts);
  } catch (error) {
    if (error instanceof FileError) return error.message;
    throw error;
  }
  throw new Error('nothing is wrong');
}

const test = suite('definitions that a server is started with');
test('are resources in their served versions', () => {
  const [definition] = held(lamps());
  assert.equal(
    [definition?.group, definition?.name, definition?.kinds, definition?.versions.map(({ version }) => version)],
    ['lights.example.com', 'lamps', ['Lamp', 'LampList'], ['v1', 'v1beta1']],
  );
  const { name, scope, shortNames, storage }: Json = definition?.versions[1]?.resource ?? {};
  assert.equal([name, scope, shortNames, storage.version], ['lamps', 'Namespaced', ['lp'], 'v1']);
});
test('of which one defines names that others leave to their defaults', () => {
  const text = lamps(({ spec }) => {
    spec.names = { plural: 'lamps', kind: 'Lamp' };
  });
  assert.equal(held(text)[0]?.kinds, ['Lamp', 'LampList']);
});
test('have kinds and schemas when they are asked for', async () => {
  const { ListMeta, ObjectMeta } = await import('../../generated/meta/v1/descriptors.ts');
  const [definition] = heldDefinitions([{ text: lamps(), source: 'file' }], {
    ...parts,
    load: async () => ({ objectMeta: ObjectMeta, listMeta: ListMeta, identity }),
  });
  const { kinds }: Json = (await definition?.load('v1')) ?? {};
  assert.equal(Object.keys(kinds).sort(), ['Lamp', 'LampList']);
});
const WRONG: [name: string, texts: string[], problem: string | RegExp][] = [
  [
    'of another kind',
    [lamps((each) => Object.assign(each, { kind: 'Secret' }))],
    'file-0: it holds no CustomResourceDefinition of apiextensions.k8s.io/v1',
  ],
  [
    'of another version',
    [lamps((each) => Object.assign(each, { apiVersion: 'apiextensions.k8s.io/v1beta1' }))],
    /^file-0: it holds no CustomResourceDefinition of/,
  ],
  ['of no syntax', ['{'], /^file-0: /],
  [
    'without a schema',
    [lamps(({ spec }) => delete spec.versions[0].schema)],
    /^file-0: lamps\.lights\.example\.com: spec\.versions\[0\]\.schema\.openAPIV3Schema: Required value: schemas are required/,
  ],
  ['with an unknown member', [lamps(({ spec }) => Object.assign(spec, { scop: '' }))], /unknown field "spec\.scop"/],
  ['with a member of another type', [lamps(({ spec }) => Object.assign(spec, { versions: 1 }))], /^file-0: .*versions/],
  [
    'of another name',
    [lamps(({ metadata }) => Object.assign(metadata, { name: 'lights' }))],
    /metadata\.name: Invalid value: "lights": must be spec\.names\.plural\+"\."\+spec\.group/,
  ],
  ['twice', [lamps(), lamps()], 'file-1: lamps.lights.example.com: ListKindConflict: "LampList" is already in use'],
  [
    'with the short name of another one',
    [
      lamps(),
      lamps(({ spec, metadata }) => {
        spec.names = { plural: 'lampposts', kind: 'Lamppost', shortNames: ['lp'] };
        metadata.name = 'lampposts.lights.example.com';
      }),
    ],
    'file-1: lampposts.lights.example.com: ShortNamesConflict: "lp" is already in use',
  ],
];
for (const [name, texts, expected] of WRONG)
  test(`are refused ${name}`, () => {
    const found = problem(...texts);
    if (typeof expected === 'string') assert.is(found, expected);
    else assert.match(found, expected);
  });
test.run();

const files = suite('files of definitions');
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
files('have any number of documents', async () => {
  const several = file('several.yaml', `# lamps\n---\na: 1\n---\n\n--- # nothing\nb: |\n  --- within\n...\n---\n`);
  const single = file('one.json', '{"c": 1}');
  assert.equal(
    (await readDefinitionFiles([several, single])).map(({ text, source }) => [text.trim(), path.basename(source)]),
    [
      ['---\na: 1', 'several.yaml'],
      ['--- # nothing\nb: |\n  --- within\n...', 'several.yaml'],
      ['{"c": 1}', 'one.json'],
    ],
  );
});
for (const [name, text] of [
  ['nothing', ''],
  ['comments alone', '# one\n---\n  # two\n...\n'],
] as const)
  files(`that hold ${name} are refused`, async () => {
    const empty = file('empty.yaml', text);
    const error = await readDefinitionFiles([empty]).catch((caught: Error) => caught);
    assert.is((error as Error).message, `${empty}: it holds nothing`);
  });
files('that are not there are refused', async () => {
  const error = await readDefinitionFiles(['/none.yaml']).catch((caught: Error) => caught);
  assert.instance(error, FileError);
});
files.run();
