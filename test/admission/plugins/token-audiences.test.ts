import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forbiddenAudience } from '../../../runtime/admission/plugins/token-audiences.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { identity } from '../../authorization/rbac/roles.ts';

const STORED: Readonly<Record<string, object>> = {
  'csidrivers//vault': { spec: { tokenRequests: [{ audience: 'vault' }, { audience: '' }] } },
  'csidrivers//plain': { spec: {} },
  'persistentvolumeclaims/a/data': { spec: { volumeName: 'v' } },
  'persistentvolumeclaims/a/p-scratch': { spec: { volumeName: 'v' } },
  'persistentvolumeclaims/a/unbound': { spec: {} },
  'persistentvolumeclaims/a/old': { spec: { volumeName: 'o' } },
  'persistentvolumes//o': { spec: { hostPath: { path: '/' } } },
  'persistentvolumes//v': { spec: { csi: { driver: 'vault' } } },
};
const token = (audience?: string) => ({ projected: { sources: [{ configMap: {} }, { serviceAccountToken: { path: 't', audience } }] } });
const rows: [what: string, audiences: string[], volumes: object[], refused?: string][] = [
  ['of a projected volume', ['x'], [token('y'), token('x')]],
  ['of another volume', ['x'], [token('y')], 'audience "x" not found in pod spec volume'],
  ['of this API, which a volume leaves open', [], [token()]],
  ['of this API, which no volume asks for', [], [token('x')], 'audience "" not found in pod spec volume'],
  ['of several', ['x', 'y'], [token('x'), token('y')], 'node may only request 0 or 1 audiences'],
  ['of a driver', ['vault'], [{ csi: { driver: 'vault' } }]],
  ['of a driver that asks for this API', [], [{ csi: { driver: 'vault' } }]],
  ['of a driver that wants no tokens', ['vault'], [{ csi: { driver: 'plain' } }], 'audience "vault" not found in pod spec volume'],
  [
    'of a driver that is not there',
    ['vault'],
    [{ csi: { driver: 'none' } }],
    'error validating audience "vault": csidriver.storage.k8s.io "none" not found',
  ],
  ['of a driver after one that is not there', ['vault'], [{ csi: { driver: 'none' } }, { csi: { driver: 'vault' } }]],
  [
    'of drivers and a claim that are not there',
    [],
    [{ csi: { driver: 'none' } }, { persistentVolumeClaim: { claimName: 'gone' } }, { csi: { driver: 'none' } }],
    'error validating audience "": [csidriver.storage.k8s.io "none" not found, persistentvolumeclaim "gone" not found]',
  ],
  [
    'of a volume that no driver has',
    ['vault'],
    [{ persistentVolumeClaim: { claimName: 'old' } }],
    'audience "vault" not found in pod spec volume',
  ],
  ['of the driver of a claim', ['vault'], [{ persistentVolumeClaim: { claimName: 'data' } }]],
  ['of the driver of a volume of the pod alone', ['vault'], [{ name: 'scratch', ephemeral: {} }]],
  [
    'of a claim without a volume',
    ['vault'],
    [{ persistentVolumeClaim: { claimName: 'unbound' } }],
    'error validating audience "vault": persistentvolume "" not found',
  ],
  ['of no volume', ['vault'], [], 'audience "vault" not found in pod spec volume'],
];
const test = suite('audiences of tokens that node agents ask for');
for (const [what, audiences, volumes, refused] of rows)
  test(`${what}: ${refused === undefined ? 'given' : 'refused'}`, () => {
    const pod = { metadata: { name: 'p', namespace: 'a' }, spec: { volumes } } as unknown as ApiObject;
    const stored = (resource: string, namespace: string, name: string) =>
      STORED[`${resource}/${namespace}/${name}`] as ApiObject | undefined;
    assert.is(forbiddenAudience(audiences, pod, stored, identity.text), refused);
  });
test.run();
