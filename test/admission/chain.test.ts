import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { type AdmissionOptions, createAdmission } from '../../runtime/admission/chain.ts';
import type { AdmissionAttributes } from '../../runtime/admission/request/attributes.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { OWN_WORK } from '../../runtime/contract/request-context.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { NO_SERVICES } from '../harness/no-services.ts';
import { identity } from '../kinds/context.ts';

const test = suite('the plugins of admission');

const chain = (options: Partial<AdmissionOptions> = {}) =>
  createAdmission({
    identity,
    catchUp() {},
    enabled: [],
    disabled: [],
    namespacePhase: (name) => (name === 'none' ? undefined : 'Active'),
    authorizer: { authorize: () => ({ decision: 'allow', reason: '' }), rules: () => Promise.reject(new Error('nobody asks')) },
    objects: {} as AdmissionOptions['objects'],
    featureEnabled: () => false,
    release: '1.32',
    createNamespace: () => Promise.reject(new Error('nobody asks')),
    followed: () => ({ changes: 0, in: () => [], get: () => undefined }),
    resourcesOfKind: () => [],
    objectsOfKind: () => undefined,
    mayTakeLong: true,
    metrics: new Metrics(metricsData),
    quotaStatuses: {
      guard: (namespace) => ({ key: namespace, revision: undefined }),
      catchUp() {},
      use: () => Promise.reject(new Error('nobody asks')),
    },
    serviceRoutes: NO_SERVICES,
    log: { warn() {} },
    tolerationSeconds: { notReady: 300, unreachable: 300 },
    configuration: () => undefined,
    ...options,
  });

function attributes(namespace: string, object: Partial<ApiObject>): AdmissionAttributes {
  const resource = {
    data: { name: 'persistentvolumeclaims', scope: 'Namespaced', storage: {} },
    groupResource: { group: '', resource: 'persistentvolumeclaims' },
  };
  const made = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', metadata: { name: 'x', namespace }, ...object };
  const user = { name: 'jane', uid: '', groups: [], extra: {} };
  return {
    request: OWN_WORK,
    user,
    operation: 'create',
    resource,
    subresource: '',
    namespace,
    name: 'x',
    object: made,
    options: { dryRun: false },
  } as never;
}
const outcome = (ask: () => unknown): Promise<string> =>
  Promise.try(ask).then(
    () => 'admitted',
    ({ message }) => message,
  );

test('are asked once what they follow is as new as the store, in each phase', async () => {
  const steps: string[] = [];
  const followed = { changes: 0, in: () => steps.splice(steps.length, 0, 'asked') as never[], get: () => undefined };
  const asked = chain({ catchUp: () => steps.push('caught up'), followed: () => followed });
  const claim = attributes('a', { spec: {} });
  assert.is(await outcome(() => asked.mutate(claim)), 'admitted');
  assert.is(await outcome(() => asked.validate(claim)), 'admitted');
  assert.equal(
    steps.filter((step, index) => step !== steps[index - 1]),
    ['caught up', 'asked', 'caught up', 'asked'],
  );
});

test('run in both phases: they change the object, and refuse it', async () => {
  const asked = attributes('a', {});
  assert.is(await outcome(() => chain().mutate(asked)), 'admitted');
  assert.equal(asked.object?.metadata.finalizers, ['kubernetes.io/pvc-protection']);
  assert.is(await outcome(() => chain().validate(asked)), 'admitted');
  assert.is(await outcome(() => chain().mutate(attributes('none', {}))), 'namespaces "none" not found');
});

test('do not run where they are disabled', async () => {
  const asked = attributes('a', {});
  await chain({ disabled: ['StorageObjectInUseProtection'] }).mutate(asked);
  assert.is(asked.object?.metadata.finalizers, undefined);
});

const refusals: readonly [name: string, options: Partial<AdmissionOptions>, message: RegExp][] = [
  ['a name that no plugin has', { enabled: ['Nobody'] }, /^--enable-admission-plugins: no admission plugin is named "Nobody"$/],
  ['the same of those that are off', { disabled: ['Nobody'] }, /^--disable-admission-plugins: no admission plugin is named "Nobody"$/],
  ['one that is both', { enabled: ['Priority'], disabled: ['Priority'] }, /^the admission plugin Priority is both enabled and disabled$/],
];
for (const [name, options, message] of refusals) test(`${name} is refused`, () => assert.throws(() => chain(options), message));

test.run();
