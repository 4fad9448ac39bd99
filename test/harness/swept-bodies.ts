/** Long bodies of every kind: the lists and maps that a kind has, as long as a body may be, of values that say nothing and of wrong ones. */
import { flatFields } from '../../codegen/policy/conversions/random-objects.ts';
import { ObjectMeta } from '../../generated/meta/v1/descriptors.ts';
import { groupVersions } from '../../generated/routes.ts';
import type { StructType, Type } from '../../runtime/contract/descriptor.ts';
import type { ResourceData } from '../../runtime/contract/kind.ts';
import { structuralType } from '../../runtime/schema/codec/codec.ts';
import { type LongBody, many } from './long-bodies.ts';

/** Structs within each other at most: deeper ones are those of others. */
const DEPTH = 5;

/** Where objects of a kind are created. */
export interface CreatedKind {
  /** such as `pods.v1` */
  readonly name: string;
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: StructType;
}

/** Every kind that a server has unless it is told otherwise, and that can be created. @param text replaces the placeholders of the dialect */
export async function createdKinds(text: (template: string) => string): Promise<CreatedKind[]> {
  const found: CreatedKind[] = [];
  for (const { group, version, enabledByDefault, resources, load } of groupVersions) {
    if (!enabledByDefault) continue;
    const { kinds } = await load();
    const apiVersion = group === '' ? version : `${text(group)}/${version}`;
    for (const resource of resources) {
      const type = kinds[resource.kind]?.type;
      if (type === undefined || !resource.verbs.includes('create') || resource.featureGate !== undefined) continue;
      const path = pathOf(group === '' ? `/api/${version}` : `/apis/${apiVersion}`, resource);
      found.push({ name: `${resource.name}.${apiVersion}`, path, apiVersion, kind: resource.kind, type });
    }
  }
  return found;
}

export const CUSTOM_KIND = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.swept.example' },
  spec: {
    group: 'swept.example',
    scope: 'Namespaced',
    names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: customSchema() } }],
  },
};

/** A kind that is there when its definition is. */
export function customKind(): CreatedKind {
  const { spec } = CUSTOM_KIND;
  const { plural, kind } = spec.names;
  const apiVersion = `${spec.group}/v1`;
  const type = structuralType(`${apiVersion}.${kind}`, customSchema(), ObjectMeta);
  return { name: `${plural}.${apiVersion}`, path: `/apis/${apiVersion}/namespaces/default/${plural}`, apiVersion, kind, type };
}

/** Elements have members that must be there, defaults, constraints and rules. */
function customSchema() {
  const lamp = {
    type: 'object',
    required: ['socket', 'colour'],
    properties: {
      socket: { type: 'string', maxLength: 10, pattern: '^[a-z]+$' },
      colour: { type: 'string', enum: ['Amber', 'White'] },
      brightness: { type: 'integer', minimum: 1, default: 1 },
      since: { type: 'string', format: 'date-time' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
    },
    'x-kubernetes-validations': [{ rule: '!has(self.brightness) || self.brightness < 100' }],
  };
  const lists = { type: 'array', items: lamp };
  const spec = { type: 'object', properties: { lamps: lists, rooms: { type: 'object', additionalProperties: lamp } } };
  return { type: 'object', properties: { spec } };
}

const pathOf = (root: string, { name, scope }: Pick<ResourceData, 'name' | 'scope'>): string =>
  scope === 'Namespaced' ? `${root}/namespaces/default/${name}` : `${root}/${name}`;

/** One for each list and map, and what is in it. */
export function everyBody(kind: CreatedKind): LongBody[] {
  return [...collectionsOf(kind.type, [], DEPTH)].flatMap((collection) => bodiesOf(kind, collection));
}

/** The list and the map with the most to say of an element, by the schema. Those of a status, which is dropped as a rule, count where there are no others. */
export function largestBodies(kind: CreatedKind): LongBody[] {
  const isStatus = ({ name }: Collection): number => Number(name.startsWith('status.'));
  const all = [...collectionsOf(kind.type, [], DEPTH)].sort((a, b) => isStatus(a) - isStatus(b) || b.members - a.members);
  return (['list', 'map'] as const).flatMap((form) => {
    const largest = all.find((each) => each.form === form);
    return largest === undefined ? [] : bodiesOf(kind, largest);
  });
}

function bodiesOf({ name, path, apiVersion, kind }: CreatedKind, collection: Collection): LongBody[] {
  const begin = `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":{"generateName":"long-"}`;
  const { before, after } = collection;
  return collection.elements.map(([what, element]) => ({
    name: `${name} ${collection.name}: ${what}`,
    path,
    text: () => `${begin},${before}${many(element)}${after}}`,
  }));
}

interface Collection {
  /** path, without elements and keys */
  readonly name: string;
  readonly form: 'list' | 'map';
  /** fields that an element may have, those within it included */
  readonly members: number;
  readonly before: string;
  readonly elements: readonly (readonly [what: string, (index: number) => string])[];
  readonly after: string;
}

/** @param above structs that these fields are in, none of which is entered a second time */
function* collectionsOf(struct: StructType, above: readonly StructType[], depth: number): Iterable<Collection> {
  if (depth === 0 || above.includes(struct)) return;
  for (const { name, type } of flatFields(struct)) {
    if (above.length === 0 && (name === 'metadata' || name === 'apiVersion' || name === 'kind')) continue;
    for (const found of within(type, [...above, struct], depth))
      yield { ...found, name: found.name === '' ? name : `${name}.${found.name}`, before: `"${name}":${found.before}` };
  }
}

function* within(type: Type, above: readonly StructType[], depth: number): Iterable<Collection> {
  if (type.kind === 'struct') {
    for (const each of collectionsOf(type, above, depth - 1)) yield { ...each, before: `{${each.before}`, after: `${each.after}}` };
  } else if (type.kind === 'list') {
    const elements = valuesOf(type.element).map(([what, value]) => [what, () => value] as const);
    yield { name: '', form: 'list', members: membersOf(type.element, above), before: '[', elements, after: ']' };
    for (const each of within(type.element, above, depth)) yield { ...each, before: `[${each.before}`, after: `${each.after}]` };
  } else if (type.kind === 'map') {
    const elements = valuesOf(type.value).map(([what, value]) => [what, (index: number) => `"/${index}":${value}`] as const);
    yield { name: '', form: 'map', members: membersOf(type.value, above), before: '{', elements, after: '}' };
    for (const each of within(type.value, above, depth)) yield { ...each, before: `{"a":${each.before}`, after: `${each.after}}` };
  }
}

function membersOf(type: Type, above: readonly StructType[]): number {
  if (type.kind === 'list') return membersOf(type.element, above);
  if (type.kind === 'map') return membersOf(type.value, above);
  if (type.kind !== 'struct' || above.includes(type)) return 0;
  return flatFields(type).reduce((sum, field) => sum + 1 + membersOf(field.type, [...above, type]), 0);
}

const WRONG = ['of a wrong type', '-1.5'] as const;

function valuesOf(type: Type): readonly (readonly [what: string, text: string])[] {
  if (type.kind === 'struct' || type.kind === 'map') return [['empty', '{}'], WRONG];
  if (type.kind === 'list') return [['empty', '[]'], WRONG];
  return [['empty', '""'], WRONG];
}
