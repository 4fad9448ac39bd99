/** Random intents and updates by several managers: what holds for owners after each of them. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compareObjects } from '../../runtime/apply/compare.ts';
import { difference, eachPath, type FieldSet, hasPath, isEmptySet, readFieldSet, shownPath, union } from '../../runtime/apply/field-set.ts';
import { mergeIntent } from '../../runtime/apply/merge.ts';
import { fieldsOf } from '../../runtime/apply/owned-fields.ts';
import { decode } from '../../runtime/schema/codec/codec.ts';
import { deepEqual } from '../../runtime/schema/equal.ts';
import { Owned, shape, Widget, zero } from './types.ts';

const text = fc.constantFrom('x', 'y');
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T) => fc.record(members, { requiredKeys: [] });
// A container that a write leaves empty is left out of objects, as 1.32 has it: none is empty here but the spec.
const part = fc.record({ color: text, size: fc.constantFrom(1, 2) }, { requiredKeys: ['color'] });
const dictionary = <T>(value: fc.Arbitrary<T>) => fc.dictionary(fc.constantFrom('k', 'l', 'm'), value, { minKeys: 1, maxKeys: 2 });
const port = fc.record({ port: fc.constantFrom(9, 80), protocol: fc.constantFrom('TCP', 'UDP'), name: text }, { requiredKeys: ['port'] });
const portKey = ({ port: number, protocol = 'TCP' }: { port: number; protocol?: string }) => `${number}/${protocol}`;
const item = fc.record(
  {
    name: fc.constantFrom('i', 'j', 'k'),
    value: text,
    ports: fc.uniqueArray(port, { minLength: 1, maxLength: 2, selector: portKey }),
  },
  { requiredKeys: ['name'] },
);
const items = fc.uniqueArray(item, { minLength: 1, maxLength: 3, selector: ({ name }) => name });
const json = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom<unknown>(1, [1], [2], { c: 1 }, { d: [1] }), {
  minKeys: 1,
  maxKeys: 2,
});
const spec = optional({
  count: fc.constantFrom(1, 2),
  text,
  part,
  whole: part,
  map: dictionary(text),
  wholeMap: dictionary(text),
  parts: dictionary(part),
  list: fc.array(text, { minLength: 1, maxLength: 2 }),
  set: fc.uniqueArray(text, { minLength: 1, maxLength: 2 }),
  numbers: fc.uniqueArray(fc.constantFrom(9, 10), { minLength: 1 }),
  items,
  labels: fc.uniqueArray(fc.record({ name: text }), { minLength: 1, maxLength: 2, selector: ({ name }) => name }),
  raw: json,
});
const object = spec.map((drawn) => ({ kind: 'Widget', apiVersion: 'v1', metadata: { name: 'w' }, spec: drawn }));
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('apply' as const), name: fc.constantFrom('a', 'b', 'c'), object, force: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('update' as const), name: fc.constantFrom('a', 'u'), object }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const IDENTITY: FieldSet = { 'f:apiVersion': {}, 'f:kind': {}, 'f:metadata': { 'f:name': {} } };

const properties = suite('ownership of random objects');

function afterEach(
  check: (owned: Owned, before: { object: object; owned: Owned }, each: Step, conflicts: readonly string[]) => void,
): void {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
      const owned = new Owned();
      for (const each of steps) {
        const before = new Owned();
        before.object = owned.object;
        before.managers = owned.managers;
        const conflicts = each.kind === 'apply' ? owned.apply(each.name, each.object, each.force) : [];
        if (each.kind === 'update') owned.update(each.name, each.object);
        check(owned, { object: before.object ?? zero, owned: before }, each, conflicts);
      }
    }),
    { numRuns: 150 },
  );
}

function pathsOf(set: FieldSet): string[] {
  const paths: string[] = [];
  eachPath(set, (path) => paths.push(shownPath(path)));
  return paths;
}

/** All that the object has: as appliers own it and as updaters do. */
function present(value: object): FieldSet {
  return union(fieldsOf(shape, value), compareObjects(shape, {}, value).added);
}

properties('an applier owns what it has just applied, and nothing else', () => {
  afterEach((owned, _before, each, conflicts) => {
    if (each.kind !== 'apply' || conflicts.length > 0) return;
    assert.equal(owned.fields(each.name) ?? {}, difference(fieldsOf(shape, each.object), IDENTITY));
  });
});

properties('what it has just applied is in the object with its values', () => {
  afterEach((owned, _before, each, conflicts) => {
    if (each.kind !== 'apply' || conflicts.length > 0) return;
    const again = decode(Widget, mergeIntent(shape, owned.object as object, each.object), { defaults: true }).object;
    assert.ok(deepEqual(again, owned.object), JSON.stringify([again, owned.object]));
  });
});

/** Whose last member went: it is left out of the object, and those who own it go on doing so. */
const CONTAINER = /^\.spec(\.(part|map|parts|items|set|numbers|labels|raw)|\.parts\.\w|\.raw\.\w|\.items\[[^\]]+\]\.ports)?$/;

properties('every owned field is there', () => {
  afterEach((owned) => {
    const fields = present(owned.object as object);
    for (const { fields: own, name } of owned.managers.values()) {
      const empty = pathsOf(difference(own, fields)).filter((path) => !CONTAINER.test(path));
      assert.equal(empty, [], `${name} owns what is not there`);
    }
  });
});

properties('what a write has changed belongs to its writer alone', () => {
  afterEach((owned, before, each, conflicts) => {
    if (conflicts.length > 0) return;
    const { added, modified } = compareObjects(shape, before.object, owned.object as object);
    const operation = each.kind === 'apply' ? 'Apply' : 'Update';
    const changed = each.kind === 'apply' ? fieldsOf(shape, each.object) : union(added, modified);
    for (const manager of owned.managers.values()) {
      if (manager.name === each.name && manager.operation === operation) continue;
      eachPath(union(modified, added), (path) => {
        if (hasPath(changed, path)) assert.not(hasPath(manager.fields, path), `${manager.name} still owns ${shownPath(path)}`);
      });
    }
  });
});

properties('conflicts are over fields of others, and change nothing', () => {
  afterEach((owned, before, each, conflicts) => {
    if (conflicts.length === 0) return;
    assert.is(each.kind === 'apply' && each.force, false);
    assert.is(owned.managers, before.owned.managers);
    for (const conflict of conflicts) {
      const [name = '', path = ''] = conflict.split(/: (.*)/s);
      const owners = [...owned.managers.values()].filter((manager) => manager.name === name);
      assert.ok(
        owners.some(({ fields }) => pathsOf(fields).includes(path)),
        conflict,
      );
    }
  });
});

properties('to apply twice is to apply once', () => {
  afterEach((owned, _before, each, conflicts) => {
    if (each.kind !== 'apply' || conflicts.length > 0) return;
    const again = new Owned();
    again.object = owned.object;
    again.managers = owned.managers;
    assert.equal(again.apply(each.name, each.object), []);
    assert.ok(deepEqual(again.object, owned.object));
    assert.equal(fieldsByKey(again), fieldsByKey(owned));
  });
});

properties('what only the applier owned and leaves out is gone', () => {
  afterEach((owned, before, each, conflicts) => {
    if (each.kind !== 'apply' || conflicts.length > 0) return;
    let others = owned.fields(each.name) ?? {};
    for (const { fields } of before.owned.managers.values()) if (fields !== before.owned.fields(each.name)) others = union(others, fields);
    const left = difference(before.owned.fields(each.name) ?? {}, others);
    for (const path of pathsOf(left)) {
      if (!/^\.spec\.(text|map\.\w|list|set\[.*\]|labels\[.*\])$/.test(path)) continue;
      assert.not(pathsOf(present(owned.object as object)).includes(path), path);
    }
  });
});

properties('sets are in canonical form, and nobody owns nothing', () => {
  afterEach((owned) => {
    for (const { fields } of owned.managers.values()) {
      assert.not(isEmptySet(fields));
      assert.is(JSON.stringify(readFieldSet(fields)), JSON.stringify(fields));
    }
  });
});

function fieldsByKey({ managers }: Owned): object {
  return Object.fromEntries([...managers].map(([key, { fields }]) => [key, fields]));
}

properties.run();
