/** Random intents and updates of objects of random structural types: what holds for owners after each of them. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareObjects } from '../../runtime/apply/compare.ts';
import { createdFields } from '../../runtime/apply/created-fields.ts';
import { difference, eachPath, type FieldSet, hasPath, isEmptySet, readFieldSet, shownPath, union } from '../../runtime/apply/field-set.ts';
import { intentErrors } from '../../runtime/apply/intent.ts';
import { managedFieldsOf } from '../../runtime/apply/managers.ts';
import { mergeIntent } from '../../runtime/apply/merge.ts';
import { shapeOf } from '../../runtime/apply/object-shape.ts';
import { fieldsOf } from '../../runtime/apply/owned-fields.ts';
import { updateManagers } from '../../runtime/apply/ownership.ts';
import type { OwnedVersion } from '../../runtime/apply/versions.ts';
import { type CompiledStruct, decode, type StructuralSchema } from '../../runtime/schema/codec/codec.ts';
import { deepEqual } from '../../runtime/schema/equal.ts';
import { fitting, schema, withFittingDefaults, withoutEmpty } from '../schema/structural/arbitrary-schemas.ts';
import { kindOfSpec } from '../schema/structural/types.ts';
import { Owned } from './types.ts';

interface Step {
  readonly kind: 'apply' | 'update';
  readonly name: string;
  readonly spec: unknown;
}

const widget = (spec: unknown) => ({ kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, spec });
// A container that a write leaves empty is null, or left out: none is empty here.
const run = schema.map(withFittingDefaults).chain((drawn) => {
  const step = fc.record<Step>({
    kind: fc.constantFrom('apply', 'apply', 'update'),
    name: fc.constantFrom('a', 'b'),
    spec: fitting(drawn).map(withoutEmpty),
  });
  return fc.record({ drawn: fc.constant(drawn), steps: fc.array(step, { minLength: 1, maxLength: 5 }) });
});
const IDENTITY: FieldSet = { 'f:apiVersion': {}, 'f:kind': {}, 'f:metadata': { 'f:name': {} } };
const RUNS = { numRuns: 300 };

const properties = suite('ownership of random structural objects');

function afterEach(check: (owned: Owned, type: CompiledStruct, each: Step, before: Owned, drawn: StructuralSchema) => void): void {
  fc.assert(
    fc.property(run, ({ drawn, steps }) => {
      const type = kindOfSpec(drawn);
      const owned = new Owned(type);
      for (const each of steps) {
        const before = copyOf(owned, type);
        if (each.kind === 'update') owned.update(each.name, widget(each.spec));
        else assert.equal(owned.apply(each.name, widget(each.spec), true), []);
        check(owned, type, each, before, drawn);
      }
    }),
    RUNS,
  );
}

function copyOf({ object, managers }: Owned, type: CompiledStruct): Owned {
  const copy = new Owned(type);
  copy.object = object;
  copy.managers = managers;
  return copy;
}

const emptyOf = (type: CompiledStruct): object => decode(type, {}, { defaults: false }).object;

function pathsOf(set: FieldSet): string[] {
  const paths: string[] = [];
  eachPath(set, (path) => paths.push(shownPath(path)));
  return paths;
}

properties('what fits a schema may be applied', () => {
  afterEach((_owned, type, { spec }) => assert.equal(intentErrors(type, widget(spec)), []));
});

properties('an applier owns what it has just applied, and nothing else', () => {
  afterEach((owned, type, { kind, name, spec }) => {
    if (kind !== 'apply') return;
    const want = difference(fieldsOf(shapeOf(type), widget(spec)), IDENTITY);
    assert.is(JSON.stringify(owned.fields(name) ?? {}), JSON.stringify(want));
  });
});

properties('what was just applied is in the object with its values', () => {
  afterEach((owned, type, { kind, spec }) => {
    if (kind !== 'apply' || emptiesByNull(spec, owned)) return;
    const again = decode(type, mergeIntent(shapeOf(type), owned.object as object, widget(spec)), { defaults: true }).object;
    assert.ok(deepEqual(again, owned.object), JSON.stringify([again, owned.object]));
  });
});

properties('to apply twice is to apply once', () => {
  afterEach((owned, type, { kind, name, spec }) => {
    if (kind !== 'apply' || emptiesByNull(spec, owned)) return;
    const again = copyOf(owned, type);
    assert.equal(again.apply(name, widget(spec)), []);
    assert.ok(deepEqual(again.object, owned.object));
    assert.is(ownersOf(again), ownersOf(owned));
  });
});

/**
 * Whether an intent applied again would change what the first time has left: null takes nothing from a container that holds something, what the applier no
 * longer applies goes from it, and the second null meets an empty one.
 */
const emptiesByNull = (spec: unknown, { object }: Owned): boolean => isNullOverEmpty(spec, (object as { spec?: unknown }).spec);

/** Whether an intent has null, at any depth, where the object has a container without anything in it. */
function isNullOverEmpty(intent: unknown, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (intent === null) return Object.keys(value).length === 0;
  if (typeof intent !== 'object') return false;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.entries(intent).some(([name, each]) => Object.hasOwn(members, name) && isNullOverEmpty(each, members[name]));
}

function ownersOf({ managers }: Owned): string {
  return JSON.stringify([...managers].map(([key, { fields }]) => [key, fields]).sort());
}

/** All that the object has: as appliers own it and as updaters do. */
function present(type: CompiledStruct, object: object): FieldSet {
  const shape = shapeOf(type);
  return union(fieldsOf(shape, object), compareObjects(shape, emptyOf(type), object).added);
}

properties('every owned field is there', () => {
  let looked = 0;
  afterEach((owned, type, _each, _before, drawn) => {
    const there = present(type, owned.object as object);
    for (const { fields, name } of owned.managers.values())
      for (const path of pathsOf(difference(fields, there))) {
        // Who owns a container goes on owning its place when others have emptied it.
        assert.not(isSingle(drawn, path), `${name} owns ${path}, which is not there`);
        looked++;
      }
  });
  assert.ok(looked < 100, `${looked} places are empty`);
});

/** Whether the schema has single values at a path of members and of entries of maps. */
function isSingle(drawn: StructuralSchema, path: string): boolean {
  const at = schemaAt(drawn, path);
  return at?.type === 'string' || at?.type === 'integer' || at?.['x-kubernetes-int-or-string'] === true;
}

const hasDefault = (drawn: StructuralSchema, path: string): boolean => schemaAt(drawn, path)?.default !== undefined;

function schemaAt(drawn: StructuralSchema, path: string): StructuralSchema | undefined {
  const names = path.split('.').slice(2);
  return names.reduce<StructuralSchema | undefined>((schema, name) => {
    const { properties = {}, additionalProperties } = schema ?? {};
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return own ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
  }, drawn);
}

properties('what a write has changed belongs to its writer alone', () => {
  afterEach((owned, type, each, before) => {
    // What null takes the place of had owners below it.
    if (hasNull(each.spec) || hasNull(before.object)) return;
    const { added, modified } = compareObjects(shapeOf(type), before.object ?? emptyOf(type), owned.object as object);
    const operation = each.kind === 'apply' ? 'Apply' : 'Update';
    const changed = each.kind === 'apply' ? fieldsOf(shapeOf(type), widget(each.spec)) : union(added, modified);
    for (const manager of owned.managers.values()) {
      if (manager.name === each.name && manager.operation === operation) continue;
      eachPath(union(modified, added), (path) => {
        if (hasPath(changed, path)) assert.not(hasPath(manager.fields, path), `${manager.name} still owns ${shownPath(path)}`);
      });
    }
  });
});

const hasNull = (value: unknown): boolean => JSON.stringify(value)?.includes('null') === true;

properties('conflicts are over fields of others, and change nothing', () => {
  let found = 0;
  afterEach((owned, type, { kind, name, spec }, before) => {
    if (kind !== 'apply') return;
    const polite = copyOf(before, type);
    const conflicts = polite.apply(name, widget(spec));
    if (conflicts.length === 0) {
      assert.ok(deepEqual(polite.object, owned.object));
      assert.is(ownersOf(polite), ownersOf(owned));
      return;
    }
    found++;
    assert.is(polite.object, before.object);
    assert.is(polite.managers, before.managers);
    for (const conflict of conflicts) {
      const [other = '', path = ''] = conflict.split(/: (.*)/s);
      const owners = [...before.managers.values()].filter((manager) => manager.name === other);
      assert.ok(
        owners.some(({ fields }) => pathsOf(fields).includes(path)),
        conflict,
      );
    }
  });
  assert.ok(found > 20, `${found} conflicts`);
});

properties('what only the applier owned and leaves out is gone, or has its default', () => {
  let gone = 0;
  afterEach((owned, type, { kind, name, spec }, before, drawn) => {
    if (kind !== 'apply') return;
    let others = fieldsOf(shapeOf(type), widget(spec));
    for (const { fields, ...manager } of before.managers.values())
      if (manager.name !== name || manager.operation !== 'Apply') others = union(others, fields);
    const there = new Set(pathsOf(present(type, owned.object as object)));
    for (const path of pathsOf(difference(before.fields(name) ?? {}, others))) {
      if (!isSingle(drawn, path)) continue;
      assert.ok(!there.has(path) || hasDefault(drawn, path), `${path} is still there`);
      if (!there.has(path)) gone++;
    }
  });
  assert.ok(gone > 0, 'nothing was left out');
});

properties('sets are in canonical form, and nobody owns nothing', () => {
  afterEach((owned) => {
    for (const { fields } of owned.managers.values()) {
      assert.not(isEmptySet(fields));
      assert.is(JSON.stringify(readFieldSet(fields)), JSON.stringify(fields));
    }
  });
});

properties('the short way to what a creator owns finds what comparing finds', () => {
  let short = 0;
  fc.assert(
    fc.property(run, ({ drawn, steps: [step] }) => {
      const type = kindOfSpec(drawn);
      const { object } = decode(type, widget(step?.spec), { defaults: true });
      const zero = decode(type, { kind: 'Widget', apiVersion: 'v1' }, { defaults: false }).object;
      const version: OwnedVersion = { apiVersion: 'v1', type, shape: shapeOf(type), resets: { 'f:status': {} } };
      const found = createdFields(version, zero, object);
      if (found === undefined) return;
      short++;
      const writer = { name: 'a', subresource: '', version };
      const compared = updateManagers(
        { find: () => version, convert: (same) => same },
        zero,
        object,
        new Map(),
        writer,
        '2030-01-01T00:00:00Z',
      );
      const [entry] = (managedFieldsOf(compared) ?? []) as { fieldsV1: object }[];
      assert.is(found, JSON.stringify(entry?.fieldsV1 ?? {}));
    }),
    RUNS,
  );
  assert.is(short, RUNS.numRuns, 'some took the long way');
});

properties.run();
