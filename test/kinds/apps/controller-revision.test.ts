import { suite } from 'uvu';
import * as assert from 'uvu/assert';

import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('controller revisions');
const { rules } = await loadKind('apps/v1', 'ControllerRevision');
const context = ruleContext();
const revision = (members: object, metadata: object = {}): ReturnType<typeof object> =>
  object('apps/v1', 'ControllerRevision', { revision: 1, ...members }, metadata);

const rows: [string, object, string[]][] = [
  ['a good one', { data: { a: 1 } }, []],
  ['data of any form', { data: 0 }, []],
  [
    'no data',
    { revision: -1 },
    ['data: Required value: data is mandatory', 'revision: Invalid value: -1: must be greater than or equal to 0'],
  ],
];
for (const [name, members, expected] of rows)
  test(`validates ${name}`, () => assert.equal(lines(rules.validate?.(revision(members), context)), expected));

test('data stays, the number may change', () => {
  const old = revision({ data: { a: 1 } });
  assert.equal(lines(rules.validateUpdate?.(revision({ data: { a: 1 }, revision: 2 }), old, context)), []);
  assert.equal(lines(rules.validateUpdate?.(revision({ data: { a: 2 } }), old, context)), [
    'data: Invalid value: {"a":2}: field is immutable',
  ]);
  const changesTo = (members: object) => {
    const made = revision(members);
    return lines([...(rules.validate?.(made, context, old) ?? []), ...(rules.validateUpdate?.(made, old, context) ?? [])]);
  };
  const shown = (raw: string) =>
    `data: Invalid value: runtime.RawExtension{Raw:[]byte${raw}, Object:runtime.Object(nil)}: field is immutable`;
  assert.equal(changesTo({ data: 7 }), [shown('{0x37}')]);
  assert.equal(changesTo({}), [shown('(nil)')]);
});

const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true };
const owners: [string, object[] | undefined, string][] = [
  ['nobody', undefined, '<none>'],
  ['an owner that does not control', [{ ...owner, controller: undefined }], '<none>'],
  ['a controller', [owner], 'statefulset.apps/web'],
  ['a controller of the core group', [{ ...owner, apiVersion: 'v1', kind: 'ReplicationController' }], 'replicationcontroller/web'],
];
for (const [name, ownerReferences, expected] of owners)
  test(`cells: ${name}`, async () => {
    const cells = await rowOf(revision({ data: {} }, { ownerReferences }), Date.parse('2026-01-01T00:00:05Z'));
    assert.equal(cells, ['x', expected, 1, '5s']);
  });

test.run();
