/** Random intents and updates of objects of random structural types: what holds for owners after each of them. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createdFields } from '../../runtime/apply/created-fields.ts';
import { difference, type FieldSet, isEmptySet, readFieldSet } from '../../runtime/apply/field-set.ts';
import { intentErrors } from '../../runtime/apply/intent.ts';
import { managedFieldsOf } from '../../runtime/apply/managers.ts';
import { mergeIntent } from '../../runtime/apply/merge.ts';
import { shapeOf } from '../../runtime/apply/object-shape.ts';
import { fieldsOf } from '../../runtime/apply/owned-fields.ts';
import { updateManagers } from '../../runtime/apply/ownership.ts';
import type { OwnedVersion } from '../../runtime/apply/versions.ts';
import { type CompiledStruct, decode } from '../../runtime/schema/codec/codec.ts';
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

function afterEach(check: (owned: Owned, type: CompiledStruct, each: Step) => void): void {
  fc.assert(
    fc.property(run, ({ drawn, steps }) => {
      const type = kindOfSpec(drawn);
      const owned = new Owned(type);
      for (const each of steps) {
        if (each.kind === 'update') owned.update(each.name, widget(each.spec));
        else assert.equal(owned.apply(each.name, widget(each.spec), true), []);
        check(owned, type, each);
      }
    }),
    RUNS,
  );
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
    if (kind !== 'apply') return;
    const again = decode(type, mergeIntent(shapeOf(type), owned.object as object, widget(spec)), { defaults: true }).object;
    assert.ok(deepEqual(again, owned.object), JSON.stringify([again, owned.object]));
  });
});

properties('to apply twice is to apply once', () => {
  afterEach((owned, type, { kind, name, spec }) => {
    if (kind !== 'apply') return;
    const again = new Owned(type);
    again.object = owned.object;
    again.managers = owned.managers;
    assert.equal(again.apply(name, widget(spec)), []);
    assert.ok(deepEqual(again.object, owned.object));
    assert.is(ownersOf(again), ownersOf(owned));
  });
});

function ownersOf({ managers }: Owned): string {
  return JSON.stringify([...managers].map(([key, { fields }]) => [key, fields]).sort());
}

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
