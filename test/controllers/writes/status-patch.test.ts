import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { statusPatch } from '../../../runtime/controllers/writes/status-patch.ts';
import { atOnce } from '../../../runtime/schema/at-once.ts';
import { applyJsonPatch } from '../../../runtime/schema/patch/json-patch.ts';

const test = suite('patches of statuses');

const NAMES = ['/spec/names/short', '/spec/names/none'];

const objectOf = (status: unknown, spec: unknown = {}): ApiObject => ({
  kind: 'A',
  apiVersion: 'v1',
  metadata: { name: 'a' },
  spec,
  ...(status !== undefined && { status }),
});

const patchOf = (edited: ApiObject, old: ApiObject) => atOnce(statusPatch(edited, old, NAMES));

/** A patch makes the edited object of the old one. */
function requireApplies(edited: ApiObject, old: ApiObject): void {
  const patched = applyJsonPatch(structuredClone(old), JSON.parse(JSON.stringify(patchOf(edited, old))));
  assert.equal(patched, JSON.parse(JSON.stringify(edited)));
}

test('make one status of any other', () => {
  const name = fc.constantFrom('a', 'b/c', 'd~e', 'list');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(fc.integer({ max: 3, min: 1 }), fc.constant('x'), fc.array(tie('value'), { maxLength: 4 }), tie('object')),
    object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  }));
  const status = fc.option(fc.dictionary(name, value as fc.Arbitrary<unknown>), { nil: undefined });
  fc.assert(
    fc.property(status, status, (one, other) => {
      // an empty one is as good as none
      if (Object.keys(other ?? {}).length > 0) requireApplies(objectOf(other), objectOf(one));
    }),
    { numRuns: 2_000 },
  );
});

test('say nothing where nothing has changed', () => {
  const old = objectOf({ conditions: [{ type: 'A' }], names: { short: ['a'] } });
  assert.equal(patchOf(old, old), []);
  assert.equal(patchOf(structuredClone(old), old), []);
  assert.equal(patchOf(objectOf(undefined), objectOf(undefined)), []);
});

test('copy what stands in the object already', () => {
  const short = ['a', 'b'];
  const old = objectOf(undefined, { names: { short } });
  const edited = { ...old, status: { acceptedNames: { short } } };
  assert.equal(patchOf({ ...old, status: { short } }, { ...old, status: { short: ['a', 'b'] } }), []);
  assert.equal(patchOf({ ...old, status: { short } }, { ...old, status: { short: ['a'] } }), [
    { op: 'copy', path: '/status/short', from: '/spec/names/short' },
  ]);
  assert.ok(patchOf(edited, old).every((operation) => !('value' in operation) || JSON.stringify(operation.value) === '{}'));
  requireApplies(edited, old);
});

test('of a long list they tell the elements that have changed', () => {
  const conditions = Array.from({ length: 5_000 }, (_, index) => ({ type: `C${index}`, status: 'True' }));
  const other = conditions.map((each, index) => (index === 77 ? { ...each, status: 'False' } : each));
  assert.equal(patchOf(objectOf({ conditions: [...other, { type: 'D' }] }), objectOf({ conditions })), [
    { op: 'replace', path: '/status/conditions/77', value: { type: 'C77', status: 'False' } },
    { op: 'add', path: '/status/conditions/5000', value: { type: 'D' } },
  ]);
  requireApplies(objectOf({ conditions: [] }), objectOf({ conditions }));
  requireApplies(objectOf({ conditions: conditions.toReversed() }), objectOf({ conditions }));
});

test.run();
