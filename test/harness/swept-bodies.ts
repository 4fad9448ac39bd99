/** Long bodies of every kind: each list and map that a kind has, as long as a body may be, of values that say nothing and of wrong ones. */
import { groupVersions } from '../../generated/routes.ts';
import type { StructType, Type } from '../../runtime/contract/descriptor.ts';
import type { ResourceData } from '../../runtime/contract/kind.ts';
import { type LongBody, many } from './long-bodies.ts';

/** Structs within each other at most: deeper ones are those of others. */
const DEPTH = 5;

/** @param text replaces the placeholders of the dialect */
export async function sweptBodies(text: (template: string) => string): Promise<LongBody[]> {
  const bodies: LongBody[] = [];
  for (const { group, version, enabledByDefault, resources, load } of groupVersions) {
    if (!enabledByDefault) continue;
    const { kinds } = await load();
    const apiVersion = group === '' ? version : `${text(group)}/${version}`;
    for (const resource of resources) {
      const type = kinds[resource.kind]?.type;
      if (type === undefined || !resource.verbs.includes('create') || resource.featureGate !== undefined) continue;
      const begin = `{"apiVersion":"${apiVersion}","kind":"${resource.kind}","metadata":{"generateName":"long-"}`;
      const path = pathOf(group === '' ? `/api/${version}` : `/apis/${apiVersion}`, resource);
      for (const { name, before, elements, after } of collectionsOf(type, [], DEPTH))
        for (const [what, element] of elements)
          bodies.push({
            name: `${resource.name}.${apiVersion} ${name}: ${what}`,
            path,
            text: () => `${begin},${before}${many(element)}${after}}`,
          });
    }
  }
  return bodies;
}

const pathOf = (root: string, { name, scope }: ResourceData): string =>
  scope === 'Namespaced' ? `${root}/namespaces/default/${name}` : `${root}/${name}`;

interface Collection {
  /** path, without elements and keys */
  readonly name: string;
  readonly before: string;
  readonly elements: readonly (readonly [what: string, (index: number) => string])[];
  readonly after: string;
}

/** @param above structs that these fields are in, none of which is entered a second time */
function* collectionsOf(struct: StructType, above: readonly StructType[], depth: number): Iterable<Collection> {
  if (depth === 0 || above.includes(struct)) return;
  for (const { name, type } of struct.fields) {
    if (above.length === 0 && (name === 'metadata' || name === 'apiVersion' || name === 'kind')) continue;
    for (const { name: below, before, elements, after } of within(type, [...above, struct], depth))
      yield { name: below === '' ? name : `${name}.${below}`, before: `"${name}":${before}`, elements, after };
  }
}

function* within(type: Type, above: readonly StructType[], depth: number): Iterable<Collection> {
  if (type.kind === 'struct') {
    for (const each of collectionsOf(type, above, depth - 1)) yield { ...each, before: `{${each.before}`, after: `${each.after}}` };
  } else if (type.kind === 'list') {
    const elements = valuesOf(type.element).map(([what, value]) => [what, () => value] as const);
    yield { name: '', before: '[', elements, after: ']' };
    for (const each of within(type.element, above, depth)) yield { ...each, before: `[${each.before}`, after: `${each.after}]` };
  } else if (type.kind === 'map') {
    const elements = valuesOf(type.value).map(([what, value]) => [what, (index: number) => `"/${index}":${value}`] as const);
    yield { name: '', before: '{', elements, after: '}' };
    for (const each of within(type.value, above, depth)) yield { ...each, before: `{"a":${each.before}`, after: `${each.after}}` };
  }
}

const WRONG = ['of a wrong type', '-1.5'] as const;

function valuesOf(type: Type): readonly (readonly [what: string, text: string])[] {
  if (type.kind === 'struct' || type.kind === 'map') return [['empty', '{}'], WRONG];
  if (type.kind === 'list') return [['empty', '[]'], WRONG];
  return [['empty', '""'], WRONG];
}
