/** What holds for objects of structural types, whatever the type and whatever was sent. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decode } from '../../../runtime/schema/codec/codec.ts';
import { parseJson } from '../../../runtime/schema/json/json-text.ts';
import { areSorted, isObject } from '../../../runtime/schema/json/member.ts';
import { schema, value } from './arbitrary-schemas.ts';
import { inPasses } from './passes.ts';
import { kindOfSpec } from './types.ts';

const properties = suite('properties of structural types');
const sent = fc.record({ schema, spec: value, defaults: fc.boolean() });
const RUNS = { numRuns: 600 };

properties('what is dropped, completed and written is stable under a second reading', () => {
  fc.assert(
    fc.property(sent, ({ schema: drawn, spec, defaults }) => {
      const type = kindOfSpec(drawn);
      const once = JSON.stringify(decode(type, { spec }, { defaults }).object);
      const { object, unknownFields } = decode(type, parseJson(once).value, { defaults });
      assert.is(JSON.stringify(object), once);
      assert.equal(unknownFields, []);
    }),
    RUNS,
  );
});

properties('one walk makes what walks for pruning, null and defaults make one after another', () => {
  fc.assert(
    fc.property(sent, ({ schema: drawn, spec, defaults }) => {
      const { metadata: _metadata, ...object } = decode(kindOfSpec(drawn), { spec }, { defaults }).object;
      const want = inPasses(structuredClone({ spec }), { properties: { spec: drawn } }, defaults);
      assert.is(sortedText(object), sortedText(want));
    }),
    { numRuns: 2_000 },
  );
});

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_name, each) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

properties('defaults are set once, also on what was read without them', () => {
  fc.assert(
    fc.property(sent, ({ schema: drawn, spec }) => {
      const type = kindOfSpec(drawn);
      const later = decode(type, decode(type, { spec }, { defaults: false }).object, { defaults: true }).object;
      assert.is(JSON.stringify(later), JSON.stringify(decode(type, { spec }, { defaults: true }).object));
    }),
    RUNS,
  );
});

properties('members are sorted at every level', () => {
  fc.assert(
    fc.property(sent, ({ schema: drawn, spec, defaults }) => {
      const type = kindOfSpec(drawn);
      assert.ok(isSorted(decode(type, { spec }, { defaults }).object));
    }),
    RUNS,
  );
});

function isSorted(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isSorted);
  return !isObject(value) || (areSorted(Object.keys(value)) && Object.values(value).every(isSorted));
}

properties('an object is the same whether it is made of its input or not, and holds nothing of others', () => {
  fc.assert(
    fc.property(sent, ({ schema: drawn, spec, defaults }) => {
      const type = kindOfSpec(drawn);
      const input = { spec };
      const before = JSON.stringify(input);
      const { object } = decode(type, input, { defaults });
      const own = new Set(containersIn(input));
      for (const container of containersIn(object)) assert.ok(!own.has(container) && Object.isExtensible(container));
      const reused = structuredClone(input);
      assert.is(JSON.stringify(decode(type, reused, { defaults, reuses: true }).object), JSON.stringify(object));
      assert.is(JSON.stringify(input), before);
      assert.is(JSON.stringify(reused), before);
    }),
    RUNS,
  );
});

/** Objects and lists. */
function containersIn(value: unknown): object[] {
  return typeof value !== 'object' || value === null ? [] : [value, ...Object.values(value).flatMap(containersIn)];
}

properties('unknown members are told of, each by its path, in their order, and are those that are not there', () => {
  fc.assert(
    fc.property(sent, ({ schema: drawn, spec }) => {
      const type = kindOfSpec(drawn);
      const { object, unknownFields } = decode(type, { spec }, { defaults: false });
      assert.equal(unknownFields, [...new Set(unknownFields)].sort());
      for (const path of unknownFields) assert.is(valueAt(object, path), undefined, path);
    }),
    RUNS,
  );
});

function valueAt(value: unknown, path: string): unknown {
  return path
    .replaceAll('[', '.')
    .replaceAll(']', '')
    .split('.')
    .reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined),
      value,
    );
}

properties.run();
