/** What the plugin refuses of pods that node agents show of their own, and of changes; what it gives to others is tested end to end. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { serviceAccount } from '../../../runtime/admission/plugins/service-account.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { TestObjects } from '../../authentication/objects.ts';
import { identity } from '../../kinds/context.ts';

const objects = new TestObjects();
objects.put(
  'serviceaccounts/ns/strict',
  { secrets: [{ name: 'listed' }] },
  { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
);
objects.put('serviceaccounts/ns/default');
objects.put('serviceaccounts/ns/pulling', { imagePullSecrets: [{ name: 'pull' }] });
const plugin = serviceAccount(identity, objects);

interface Write {
  readonly spec: object;
  readonly operation?: 'create' | 'update';
  readonly subresource?: string;
  readonly kind?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
function attributes({ spec, operation = 'create', subresource = '', kind = 'Pod', annotations }: Write): AdmissionAttributes {
  const object = { metadata: { name: 'p', ...(annotations && { annotations }) }, spec: structuredClone(spec) };
  const resource = { groupResource: { group: '', resource: 'pods' } };
  return {
    request: OWN_WORK,
    operation,
    resource,
    subresource,
    kind: { kind },
    namespace: 'ns',
    name: 'p',
    object,
  } as unknown as AdmissionAttributes;
}
async function outcome(write: Write): Promise<string> {
  const given = attributes(write);
  try {
    await plugin.mutate?.(given);
    await plugin.validate?.(given);
    return 'admitted';
  } catch (error) {
    assert.instance(error, StatusError);
    return (error as StatusError).message.replace('pods "p" is forbidden: ', '');
  }
}

const test = suite('ServiceAccount');
const mirror = { 'kubernetes.io/config.mirror': 'x' };
const containers = [{ name: 'c', image: 'i' }];
const env = (secret: string) => [{ name: 'E', valueFrom: { secretKeyRef: { name: secret, key: 'k' } } }];
const strict = { containers, serviceAccountName: 'strict', automountServiceAccountToken: false };
const allOf = (name: string) => ({ secretRef: { name } });
const debug = (secret: string) => [{ name: 'd', image: 'i', env: env(secret) }];
const rows: [name: string, write: Write, outcome: string][] = [
  ['a mirror pod', { spec: { containers, nodeSelector: { secretName: 'x' } }, annotations: mirror }, 'admitted'],
  [
    'one with an account',
    { spec: { containers, serviceAccountName: 'default' }, annotations: mirror },
    'a mirror pod may not reference service accounts',
  ],
  [
    'one whose driver takes an attribute of that name',
    {
      spec: { containers, volumes: [{ name: 'v', csi: { driver: 'd', volumeAttributes: { secretName: 's', secretRef: 's' } } }] },
      annotations: mirror,
    },
    'admitted',
  ],
  [
    'one with a secret of a driver',
    { spec: { containers, volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }] }, annotations: mirror },
    'a mirror pod may not reference secrets',
  ],
  [
    'such containers in the kind of their own that they once had',
    { spec: undefined as never, operation: 'update', subresource: 'ephemeralcontainers', kind: 'EphemeralContainers' },
    'admitted',
  ],
  [
    'a container for debugging in a pod without an account',
    { spec: { containers, ephemeralContainers: debug('s') }, operation: 'update', subresource: 'ephemeralcontainers' },
    'no service account specified for pod ns/p',
  ],
  [
    'one with a volume of a secret',
    { spec: { containers, volumes: [{ name: 'v', secret: { secretName: 's' } }] }, annotations: mirror },
    'a mirror pod may not reference secrets',
  ],
  [
    'one with a secret for images',
    { spec: { containers, imagePullSecrets: [{ name: 's' }] }, annotations: mirror },
    'a mirror pod may not reference secrets',
  ],
  [
    'one with a secret in its environment',
    { spec: { containers: [{ name: 'c', image: 'i', env: env('s') }] }, annotations: mirror },
    'a mirror pod may not reference secrets',
  ],
  [
    'one with a projected token',
    {
      spec: { containers, volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
      annotations: mirror,
    },
    'a mirror pod may not use ServiceAccountToken volume projections',
  ],
  ['a pod of an account that is gone, changed', { spec: { containers, serviceAccountName: 'gone' }, operation: 'update' }, 'admitted'],
  [
    'a debugging container with another secret than the account lists',
    {
      spec: { containers, serviceAccountName: 'strict', ephemeralContainers: debug('other') },
      operation: 'update',
      subresource: 'ephemeralcontainers',
    },
    'ephemeral container d with envVar E referencing secret.secretName="other" is not allowed because service account strict does not reference that secret',
  ],
  [
    'a debugging container with a secret that the account lists',
    {
      spec: { containers, serviceAccountName: 'strict', ephemeralContainers: debug('listed') },
      operation: 'update',
      subresource: 'ephemeralcontainers',
    },
    'admitted',
  ],
  ...(['initContainers', 'containers'] as const).map((member): [string, Write, string] => [
    `${member} with all of another secret than the account lists`,
    { spec: { ...strict, [member]: [{ name: 'x', envFrom: [{ configMapRef: {} }, allOf('other')] }] } },
    `${member === 'containers' ? '' : 'init '}container x with envFrom referencing secret.secretName="other" is not allowed because service account strict does not reference that secret`,
  ]),
  [
    'a container with all of a secret that the account lists',
    { spec: { ...strict, containers: [{ name: 'x', envFrom: [allOf('listed')] }] } },
    'admitted',
  ],
  [
    'a debugging container with all of another secret than the account lists',
    {
      spec: { containers, serviceAccountName: 'strict', ephemeralContainers: [{ name: 'd', envFrom: [allOf('other')] }] },
      operation: 'update',
      subresource: 'ephemeralcontainers',
    },
    'ephemeral container d with envFrom referencing secret.secretName="other" is not allowed because service account strict does not reference that secret',
  ],
];
for (const [name, write, expected] of rows) test(name, async () => assert.is(await outcome(write), expected));

test('a mirror pod stays as it is', async () => {
  const given = attributes({ spec: { containers }, annotations: mirror });
  await plugin.mutate?.(given);
  assert.equal(given.object?.spec, { containers });
});
test('what the account does not list is refused before anybody looks whether the pod is valid', async () => {
  const given = attributes({ spec: { ...strict, containers: [{ name: 'x', envFrom: [allOf('other')] }] } });
  const error = await Promise.resolve()
    .then(() => plugin.mutate?.(given))
    .catch((thrown: unknown) => thrown);
  assert.is((error as StatusError).code, 403);
});
test('a token volume that is there is mounted, not made again', async () => {
  const volumes = [{ name: 'kube-api-access-mine', emptyDir: {} }];
  const given = attributes({ spec: { containers, volumes } });
  await plugin.mutate?.(given);
  assert.equal(given.object?.spec.volumes, volumes);
  assert.is(given.object?.spec.containers[0].volumeMounts[0].name, 'kube-api-access-mine');
});
test('secrets for images come from the account, where the pod names none', async () => {
  const given = attributes({ spec: { containers, serviceAccountName: 'pulling' } });
  await plugin.mutate?.(given);
  assert.equal(given.object?.spec.imagePullSecrets, [{ name: 'pull' }]);
  const own = attributes({ spec: { containers, serviceAccountName: 'pulling', imagePullSecrets: [{ name: 'own' }] } });
  await plugin.mutate?.(own);
  assert.equal(own.object?.spec.imagePullSecrets, [{ name: 'own' }]);
});
test('a token is mounted in containers that have nothing there, to be read', async () => {
  const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
  const own = { name: 'own', mountPath };
  const given = attributes({ spec: { initContainers: [{ name: 'i', volumeMounts: [own] }], containers } });
  await plugin.mutate?.(given);
  const { initContainers, containers: made, volumes } = (given.object as ApiObject).spec;
  assert.equal(initContainers[0].volumeMounts, [own]);
  const { name } = volumes[0];
  assert.equal(made[0].volumeMounts, [{ name, readOnly: true, mountPath }]);
  const [token, authority] = volumes[0].projected.sources;
  assert.equal(token, { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } });
  assert.equal(authority, { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } });
});
const CHANGED: [name: string, spec: object, refusal: string][] = [
  ['has no account any more', { containers }, 'no service account specified for pod ns/p'],
  [
    'has another volume',
    { ...strict, volumes: [{ name: 'v', secret: { secretName: 'other' } }] },
    'volume with secret.secretName="other" is not allowed because service account strict does not reference that secret',
  ],
  [
    'has another secret for images',
    { ...strict, imagePullSecrets: [{ name: 'other' }] },
    'imagePullSecrets[0].name="other" is not allowed because service account strict does not reference that imagePullSecret',
  ],
];
for (const [name, spec, refusal] of CHANGED)
  test(`a new pod that a webhook has changed since: it ${name}`, async () => {
    const error = await Promise.resolve()
      .then(() => plugin.validate?.(attributes({ spec })))
      .catch((thrown: unknown) => thrown);
    assert.is((error as StatusError).message, `pods "p" is forbidden: ${refusal}`);
  });
test.run();
