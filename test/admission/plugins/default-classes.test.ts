import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultIngressClass, defaultStorageClass } from '../../../runtime/admission/plugins/default-classes.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('default classes');

const STORAGE = 'storageclass.kubernetes.io/is-default-class';
const BETA = 'storageclass.beta.kubernetes.io/is-default-class';
const INGRESS = 'ingressclass.kubernetes.io/is-default-class';
const marked = (name: string, mark: string, value = 'true', creationTimestamp = '2026-01-01T00:00:00Z') => ({
  metadata: { name, creationTimestamp, annotations: { [mark]: value } },
});
const PVC = { resource: 'persistentvolumeclaims' };
const NETWORKING = { resource: 'ingresses', group: 'networking.k8s.io' };

const CLAIMS: readonly (readonly [name: string, classes: readonly object[], asked: Asked, name: string | undefined])[] = [
  ['no class is marked', [marked('a', STORAGE, 'false'), { metadata: { name: 'b' } }], { object: { spec: {} } }, undefined],
  ['one is marked', [marked('a', STORAGE), { metadata: { name: 'b' } }], { object: { spec: {} } }, 'a'],
  ['one is marked as it was once done', [marked('a', BETA)], { object: { spec: {} } }, 'a'],
  ['of several the newest', [marked('a', STORAGE), marked('b', STORAGE, 'true', '2026-01-02T00:00:00Z')], { object: { spec: {} } }, 'b'],
  ['of the same second the first', [marked('b', STORAGE), marked('a', STORAGE)], { object: { spec: {} } }, 'a'],
  ['the claim names one', [marked('a', STORAGE)], { object: { spec: { storageClassName: 'c' } } }, 'c'],
  ['the claim wants none', [marked('a', STORAGE)], { object: { spec: { storageClassName: '' } } }, ''],
  [
    'the claim names one by an annotation',
    [marked('a', STORAGE)],
    { object: { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'c' } }, spec: {} } },
    undefined,
  ],
  ['an update', [marked('a', STORAGE)], { operation: 'update', object: { spec: {} } }, undefined],
  ['a subresource', [marked('a', STORAGE)], { subresource: 'status', object: { spec: {} } }, undefined],
];
for (const [name, storageclasses, given, expected] of CLAIMS)
  test(`claims: ${name}`, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: of a claim one member matters
    const claim = (await asked(defaultStorageClass(partsOf({}, { storageclasses })), { ...PVC, ...given })) as any;
    assert.is(claim.spec.storageClassName, expected);
  });

const INGRESSES: readonly (readonly [name: string, asked: Asked, name: string | undefined])[] = [
  ['one is marked', { object: { spec: {} } }, 'a'],
  ['the older group, in which the plugin leaves ingresses as they are', { group: 'extensions', object: { spec: {} } }, undefined],
  ['the ingress names one', { object: { spec: { ingressClassName: 'c' } } }, 'c'],
  [
    'the ingress names one by an annotation',
    { object: { metadata: { annotations: { 'kubernetes.io/ingress.class': 'c' } }, spec: {} } },
    undefined,
  ],
  ['an update', { operation: 'update', object: { spec: {} } }, undefined],
  ['another group', { group: 'e.com', object: { spec: {} } }, undefined],
];
for (const [name, given, expected] of INGRESSES)
  test(`ingresses: ${name}`, async () => {
    const ingressclasses = [marked('a', INGRESS), marked('b', STORAGE)];
    // biome-ignore lint/suspicious/noExplicitAny: of an ingress one member matters
    const ingress = (await asked(defaultIngressClass(partsOf({}, { ingressclasses })), { ...NETWORKING, ...given })) as any;
    assert.is(ingress.spec.ingressClassName, expected);
  });

test.run();
