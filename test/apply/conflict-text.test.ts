/** What an apply that conflicts is told: by 1.32's words, grouped by the managers that own the fields. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conflictCauses, conflictMessage } from '../../runtime/apply/conflict-text.ts';
import type { Manager } from '../../runtime/apply/managers.ts';

const test = suite('texts of conflicts');

const manager = (parts: Partial<Manager>): Manager => ({
  name: 'a',
  operation: 'Update',
  apiVersion: 'v1',
  subresource: '',
  time: '2020-01-01T00:00:00Z',
  fields: {},
  ...parts,
});
const UPDATER = manager({});
const SCALER = manager({ name: 'b"', subresource: 'scale', apiVersion: 'apps/v1' });
const APPLIER = manager({ name: 'c', operation: 'Apply' });
const [REPLICAS, PORT] = [
  ['f:spec', 'f:replicas'],
  ['f:ports', 'k:{"port":1,"protocol":"TCP"}', 'f:name'],
];

test('one conflict stands in one line', () => {
  const message = 'Apply failed with 1 conflict: conflict with "a" using v1: .spec.replicas';
  assert.is(conflictMessage([{ manager: UPDATER, path: REPLICAS }]), message);
});

test('several stand below their managers', () => {
  const conflicts = [
    { manager: UPDATER, path: REPLICAS },
    { manager: UPDATER, path: PORT },
    { manager: SCALER, path: REPLICAS },
    { manager: APPLIER, path: REPLICAS },
  ];
  assert.equal(conflictMessage(conflicts).split('\n'), [
    'Apply failed with 4 conflicts: conflicts with "a" using v1:',
    '- .spec.replicas',
    '- .ports[port=1,protocol="TCP"].name',
    'conflicts with "b\\"" with subresource "scale" using apps/v1:',
    '- .spec.replicas',
    'conflicts with "c":',
    '- .spec.replicas',
  ]);
});

test('each has a cause', () => {
  assert.equal(conflictCauses([{ manager: SCALER, path: PORT }]), [
    {
      reason: 'FieldManagerConflict',
      message: 'conflict with "b\\"" with subresource "scale" using apps/v1',
      field: '.ports[port=1,protocol="TCP"].name',
    },
  ]);
});

test.run();
