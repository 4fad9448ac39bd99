/** Random schemas of custom resources, and random JSON that fits them more or less. */
import fc from 'fast-check';
import type { StructuralSchema } from '../../../runtime/schema/codec/codec.ts';
import { EMBEDDED, INT_OR_STRING, KEEPS, keyed, list, map, object, set, TEXT } from './types.ts';

const name = fc.constantFrom('a', 'b', 'c', 'constructor');
const leaf = fc.constantFrom<unknown>('x', '', 0, 5, true, null);

/** Any JSON of few names, so that it meets what schemas declare. */
export const value: fc.Arbitrary<unknown> = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 2, arbitrary: leaf },
    { weight: 3, arbitrary: fc.dictionary(name, tie('any'), { maxKeys: 3 }) },
    { weight: 1, arbitrary: fc.array(tie('any'), { maxLength: 3 }) },
  ),
})).any;

const facets = fc.record({
  nullable: fc.option(fc.constant(true), { nil: undefined }),
  default: fc.option(value, { nil: undefined, freq: 3 }),
  preserves: fc.boolean(),
});

export const schema: fc.Arbitrary<StructuralSchema> = fc.letrec<{ any: StructuralSchema }>((tie) => {
  const properties = fc.dictionary(name, tie('any'), { maxKeys: 3 });
  const several = fc.record({ properties, items: tie('any') }, { requiredKeys: [] });
  const form = fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<StructuralSchema>(TEXT, { type: 'integer' }, INT_OR_STRING, {}, map(true), set(TEXT)),
    properties.map((each) => object(each)),
    properties.map((each) => object(each, EMBEDDED)),
    tie('any').map((each) => map(each)),
    tie('any').map((each) => list(each)),
    properties.map((each) => keyed(object({ ...each, a: TEXT }), ['a'])),
    several,
  );
  return {
    any: fc.tuple(form, facets).map(([each, { nullable, default: stated, preserves }]) => ({
      ...each,
      ...(nullable && { nullable }),
      ...(stated !== undefined && { default: stated }),
      ...(preserves && KEEPS),
    })),
  };
}).any;

/** JSON that fits a schema: what may be applied, without elements that stand twice. */
export function fitting(of: StructuralSchema): fc.Arbitrary<unknown> {
  const value = withoutNull(of);
  return of.nullable === true ? fc.option(value, { freq: 8 }) : value;
}

function withoutNull(of: StructuralSchema): fc.Arbitrary<unknown> {
  const { type, properties, additionalProperties, items } = of;
  if (type === 'string') return fc.constantFrom('x', 'y');
  if (type === 'integer') return fc.constantFrom(1, 2);
  if (of['x-kubernetes-int-or-string'] === true) return fc.constantFrom(1, 'x');
  const element = items as StructuralSchema | undefined;
  const forms: fc.Arbitrary<unknown>[] = [];
  if (type === 'array' || (type === undefined && element !== undefined)) forms.push(elements(of, fitting(element ?? {})));
  if (type === 'object' || properties !== undefined || additionalProperties !== undefined) forms.push(members(of));
  return forms.length === 0 ? fc.constantFrom<unknown>('x', 1, [1], { a: 1 }, { a: { b: [1] } }) : fc.oneof(...forms);
}

function elements(of: StructuralSchema, element: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const [key] = of['x-kubernetes-list-map-keys'] ?? [];
  if (key !== undefined) {
    const name = fc.constantFrom('x', 'y', 'z');
    const item = fc.tuple(element, name).map(([one, own]) => ({ ...(one as object), [key]: own }) as Record<string, unknown>);
    return fc.uniqueArray(item, { maxLength: 3, selector: (each) => each[key] });
  }
  return of['x-kubernetes-list-type'] === 'set' ? fc.uniqueArray(element, { maxLength: 2 }) : fc.array(element, { maxLength: 2 });
}

function members(of: StructuralSchema): fc.Arbitrary<unknown> {
  const { properties = {}, additionalProperties } = of;
  const declared = fc.record(Object.fromEntries(Object.entries(properties).map(([each, schema]) => [each, fitting(schema)])), {
    requiredKeys: [],
  });
  if (typeof additionalProperties !== 'object') return declared.map((own) => ({ ...own }));
  return fc.dictionary(fc.constantFrom('k', 'l'), fitting(additionalProperties)).map((entries) => ({ ...entries }));
}

/** The schema with defaults of texts and integers alone, which are of their type. */
export function withFittingDefaults({
  default: stated,
  properties,
  additionalProperties,
  items,
  ...of
}: StructuralSchema): StructuralSchema {
  const scalar = { string: 'x', integer: 1 }[of.type ?? ''];
  return {
    ...of,
    ...(stated !== undefined && scalar !== undefined && { default: scalar }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([each, schema]) => [each, withFittingDefaults(schema)])),
    }),
    ...(items && { items: withFittingDefaults(items as StructuralSchema) }),
    ...(additionalProperties && {
      additionalProperties: additionalProperties === true ? true : withFittingDefaults(additionalProperties),
    }),
  };
}

/** Without objects and lists in which nothing is; undefined for what is nothing itself. */
export function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const members = Object.entries(value).flatMap(([each, member]) => {
    const inner = withoutEmpty(member);
    return inner === undefined ? [] : [[each, inner]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
