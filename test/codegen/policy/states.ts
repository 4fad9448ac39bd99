/** Two states of schemas: those of release 1.32, and those of what shall become 1.33, which tests edit. */
import { parse, stringify } from 'yaml';
import { DiagnosticList, formatDiagnostic } from '../../../codegen/check/diagnostic.ts';
import { buildModel } from '../../../codegen/model/build.ts';
import { checkPolicy, type PolicyOutcome, type SchemaState } from '../../../codegen/policy/check-policy.ts';
import { readSources } from '../../../codegen/read/read.ts';
import { document, type Json, kind, list, meta, own, protoFile, resource, type SchemaFiles, struct, text, withTree } from '../tree.ts';

export type Edit = (files: SchemaFiles) => void;

export const V1 = 'toys/v1';
export const BETA = 'toys/v1beta1';
export const ALPHA = 'toys/v1alpha1';

const GROUP = 'toys.${groupDomain}';
const number = (more: Json = {}): Json => ({
  description: 'A number.',
  type: 'integer',
  format: 'int32',
  'x-cluster-pointer': true,
  ...more,
});
const lifecycles: Json = {
  v1: { introduced: '1.28' },
  v1beta1: { introduced: '1.27', deprecated: '1.30' },
  v1alpha1: { introduced: '1.25' },
};

/** Flags, gates, metrics and behaviours, each with something that has long been deprecated and something that has not. */
const flags = `
groups: { general: General }
flags:
  - { name: level, short: l, group: general, type: integer, minimum: 1, maximum: 9, default: 3, status: effective, help: How much. }
  - { name: mode, group: general, type: string, values: [fast, safe], status: effective, help: How. }
  - { name: any-mode, group: general, type: string, status: effective, help: How. }
  - { name: trial, group: general, type: boolean, status: effective, stability: beta, help: Whether to try. }
  - { name: dream, group: general, type: boolean, status: effective, stability: alpha, help: Whether to dream. }
  - { name: old, group: general, type: string, status: effective, help: Old., deprecated: { release: "1.30", warning: use --mode, replacement: mode } }
  - { name: recent, group: general, type: string, status: effective, help: Recent., deprecated: { release: "1.32", warning: use --mode } }
  - { name: trial-old, group: general, type: string, stability: beta, status: effective, help: Old., deprecated: { release: "1.31", warning: use --mode } }
  - { name: said, group: general, type: string, audience: users, status: effective, help: Said. }
  - { name: said-old, group: general, type: string, audience: users, status: effective, help: Said., deprecated: { release: "1.31", warning: use --said } }
  - { name: said-older, group: general, type: string, audience: users, status: effective, help: Said., deprecated: { release: "1.30", warning: use --said } }
`;
const metrics = `
toys_total: { type: counter, stability: STABLE, since: "1.20", labels: [colour], help: Toys. }
toys_seconds: { type: histogram, stability: STABLE, since: "1.20", buckets: [1, 2], help: Seconds. }
toys_old_total: { type: counter, stability: STABLE, since: "1.20", help: Toys., deprecated: "1.30" }
toys_going_total: { type: counter, stability: STABLE, since: "1.20", help: Toys., deprecated: "1.31" }
toys_beta_total: { type: counter, stability: BETA, since: "1.25", labels: [colour], help: Toys. }
toys_beta_old_total: { type: counter, stability: BETA, since: "1.25", help: Toys., deprecated: "1.31" }
toys_beta_going_total: { type: counter, stability: BETA, since: "1.25", help: Toys., deprecated: "1.32" }
toys_beta_young_total: { type: counter, stability: BETA, since: "1.32", help: Toys., deprecated: "1.31" }
toys_alpha: { type: gauge, stability: ALPHA, labels: [colour], help: Toys. }
`;
const behaviours = `
playsAloud: { description: Toys play aloud., stability: stable }
playsAlone: { description: Toys play alone., deprecated: "1.31", replacement: playsAloud }
playsAtNight: { description: Toys play at night., deprecated: "1.28", changes: [ default of flag mode ] }
playsBackwards: { description: Toys play backwards., stability: alpha }
`;
const featureGates = {
  ToyParts: [{ release: '1.28', stage: 'Alpha', default: false }],
  ToyTints: [
    { release: '1.29', stage: 'Alpha', default: false },
    { release: '1.31', stage: 'Beta', default: true },
  ],
  ToyGa: [
    { release: '1.28', stage: 'Beta', default: true },
    { release: '1.32', stage: 'GA', default: true, locked: true },
  ],
  ToyOldGa: [
    { release: '1.25', stage: 'Beta', default: true },
    { release: '1.30', stage: 'GA', default: true, locked: true },
  ],
  ToyEnding: [
    { release: '1.28', stage: 'Beta', default: true },
    { release: '1.31', stage: 'Deprecated', default: false },
  ],
  ToyEndingLate: [
    { release: '1.28', stage: 'Beta', default: true },
    { release: '1.33', stage: 'Deprecated', default: false },
  ],
  ToyTried: [
    { release: '1.31', stage: 'Alpha', default: false },
    { release: '1.32', stage: 'Deprecated', default: false },
  ],
};

function toySpec(): Json {
  return struct(
    {
      colour: text({ enum: ['Red', 'Green'] }),
      mode: text({ enum: ['Fast', 'Slow'], 'x-cluster-open': true }),
      size: number({ minimum: 1, maximum: 9, default: 3 }),
      weight: number({ 'x-cluster-default-when': { when: { colour: 'Red' }, value: 5 } }),
      title: text({ minLength: 1, maxLength: 20, pattern: '^[a-z]+$', 'x-cluster-always': true }),
      parts: {
        ...list(own('Part')),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'name',
      },
      labels: { description: 'Labels.', type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
      names: { ...list({ type: 'string' }), 'x-kubernetes-list-type': 'set', maxItems: 4 },
      owner: { ...own('Owner'), 'x-cluster-pointer': true },
      tried: text({ 'x-cluster-pointer': true, 'x-cluster-feature-gate': 'ToyParts', enum: ['A', 'B'] }),
      tint: text({ 'x-cluster-pointer': true, 'x-cluster-feature-gate': 'ToyTints' }),
      plain: text({ 'x-cluster-pointer': true }),
      gone: text({ 'x-cluster-since': '1.28', 'x-cluster-until': '1.30', 'x-cluster-number': 20, 'x-cluster-feature-gate': 'ToyParts' }),
    },
    ['title'],
  );
}

const TOY_PROTO = {
  Toy: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1; optional ToySpec spec = 2;',
  ToyList: 'optional .io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta metadata = 1; repeated Toy items = 2;',
  ToySpec: `reserved 13, 14, 15 to 20; reserved "former"; optional string colour = 1; optional string mode = 2; optional int32 size = 3; optional int32 weight = 4;
  optional string title = 5; repeated Part parts = 6; map<string, string> labels = 7; repeated string names = 8; optional Owner owner = 9;
  optional string tried = 10; optional string tint = 11; optional string plain = 12;`,
  Part: 'optional string name = 1; optional int32 count = 2;',
  Owner: 'optional string first = 1; optional string last = 2;',
};

function toyDocument(version: string): Json {
  const storage = version === 'v1' ? {} : { storage: { version: 'v1' } };
  const toys = resource({
    ...storage,
    shortNames: ['ty'],
    categories: ['all'],
    verbs: ['create', 'delete', 'get', 'list', 'update', 'watch'],
    selectableFields: ['spec.colour'],
    putCreates: true,
    nameFormat: 'dnsSubdomain',
    subresources: [
      { name: 'status', kind: 'Toy', verbs: ['get', 'update'] },
      { name: 'parts', kind: 'Toy', verbs: ['get'], handler: 'pods/log', featureGate: 'ToyParts' },
    ],
  });
  const lifecycle = (): Json => structuredClone(lifecycles[version]);
  const conversion =
    version === 'v1'
      ? {}
      : {
          'x-cluster-conversion': {
            to: { group: GROUP, version: 'v1', kind: 'Toy' },
            steps: [{ op: 'keepInAnnotation', path: 'spec.plain', annotation: 'toys.example/plain' }],
          },
        };
  const columns = [
    { name: 'Name', path: '.metadata.name', format: 'name' },
    { name: 'Colour', path: '.spec.colour' },
    { name: 'Size', type: 'integer', path: '.spec.size' },
    { name: 'Title', path: '.spec.title', priority: 1 },
  ];
  const schemas: Json = {
    Toy: {
      ...kind({ metadata: meta('ObjectMeta'), spec: own('ToySpec') }),
      'x-cluster-lifecycle': lifecycle(),
      ...conversion,
      ...(version === 'v1' && { 'x-cluster-table': { columns } }),
    },
    ToyList: {
      ...kind({ metadata: meta('ListMeta'), items: { ...list(own('Toy')), 'x-cluster-always': true } }),
      'x-cluster-lifecycle': lifecycle(),
    },
    ToySpec: toySpec(),
    Part: struct({ name: text(), count: number() }, ['name']),
    Owner: {
      ...struct({ first: text(), last: text() }),
      'x-kubernetes-map-type': 'atomic',
      'x-cluster-validations': [{ zeroOrOneOf: ['first', 'last'] }],
    },
  };
  const content = document(GROUP, version, `test.toys.${version}`, [toys], schemas);
  // Beta versions that are not older than 1.22 are off.
  content['x-cluster-group-version'].enabledByDefault = version === 'v1';
  return content;
}

/** The base: one group with a stable, a beta and an alpha version of the same form, and a kind of files. */
export function policyToys(files: SchemaFiles): void {
  // The whole of meta/v1 takes longer to read than all the rest.
  files.openapi['meta/v1'].components.schemas = {
    ObjectMeta: struct({ name: text(), annotations: { description: 'Notes.', type: 'object', additionalProperties: { type: 'string' } } }),
    ListMeta: struct({ resourceVersion: text() }),
  };
  files.proto['meta/v1'] = `syntax = "proto2";
package io.k8s.apimachinery.pkg.apis.meta.v1;
message ObjectMeta { optional string name = 1; map<string, string> annotations = 2; }
message ListMeta { optional string resourceVersion = 1; }`;
  for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
    files.openapi[`toys/${version}`] = toyDocument(version);
    files.proto[`toys/${version}`] = protoFile(`test.toys.${version}`, TOY_PROTO);
  }
  const config = document('config.example', 'v1', 'test.config.v1', [], {
    Config: {
      ...struct({ level: text({ 'x-cluster-pointer': true }) }),
      'x-cluster-kind': true,
      'x-cluster-lifecycle': { introduced: '1.20' },
    },
  });
  config['x-cluster-group-version'].files = true;
  files.openapi['config/v1'] = config;
  Object.assign(files.releases, { current: '1.32', oldest: '1.28' });
  files.featureGates = structuredClone(featureGates);
  files.raw['schemas/flags.yaml'] = flags;
  files.raw['schemas/metrics.yaml'] = metrics;
  files.raw['schemas/behaviours.yaml'] = behaviours;
}

export function setTable(files: SchemaFiles, name: 'flags' | 'metrics' | 'behaviours', edit: (table: Json) => void): void {
  const file = `schemas/${name}.yaml`;
  const table = parse(files.raw[file] as string);
  edit(table);
  files.raw[file] = stringify(table);
}

export const flagNamed = (table: Json, name: string): Json => table.flags.find((flag: Json) => flag.name === name);
export const schemasOf = (files: SchemaFiles, folder = V1): Json => files.openapi[folder].components.schemas;
export const specOf = (files: SchemaFiles, folder = V1): Json => schemasOf(files, folder).ToySpec.properties;
export const toysOf = (files: SchemaFiles, folder = V1): Json => files.openapi[folder]['x-cluster-resources'][0];
export const lifecycleOf = (files: SchemaFiles, folder = V1, name = 'Toy'): Json => schemasOf(files, folder)[name]['x-cluster-lifecycle'];

/** Changes the protobuf file of a version. @throws Error where it does not have the text */
export function setProto(files: SchemaFiles, from: string, to: string, folder = V1): void {
  const before = files.proto[folder] as string;
  files.proto[folder] = before.replace(from, to);
  if (files.proto[folder] === before) throw new Error(`types.proto of ${folder} has no ${from}`);
}

/** Takes a field out, and reserves its number. */
export function removeField(files: SchemaFiles, name: string, declaration: string, folder = V1): void {
  delete specOf(files, folder)[name];
  const numbered = /= (\d+);/.exec(declaration)?.[1];
  setProto(files, declaration, `reserved ${numbered};`, folder);
}

/** @throws Error with what the schemas state wrongly */
export async function stateOf(edit: Edit): Promise<SchemaState> {
  return withTree(edit, async ({ root }) => {
    const diagnostics = new DiagnosticList();
    const sources = await readSources(root, diagnostics.report);
    const model = buildModel(sources, diagnostics.report);
    if (diagnostics.errors.length > 0) throw new Error(diagnostics.errors.map(formatDiagnostic).join('\n'));
    return { sources, model };
  });
}

let base: Promise<SchemaState> | undefined;

/** @param edit of the later state, whose release is 1.33. @param earlier of the earlier one, of release 1.32 */
export async function outcomeOf(edit: Edit, earlier?: Edit): Promise<PolicyOutcome> {
  base ??= stateOf(policyToys);
  const before = await (earlier === undefined
    ? base
    : stateOf((files) => {
        policyToys(files);
        earlier(files);
      }));
  const after = await stateOf((files) => {
    policyToys(files);
    files.releases.current = '1.33';
    earlier?.(files);
    edit(files);
  });
  return checkPolicy(before, after, { knowsRelease: true });
}

export function messagesOf({ findings }: Pick<PolicyOutcome, 'findings'>): string[] {
  return findings.map(({ code, element, was, is }) => `${code} ${element}: ${was} -> ${is}`);
}
