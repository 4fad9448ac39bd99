import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { persistentVolumeClaimResize } from '../../../runtime/admission/plugins/persistent-volume-claim-resize.ts';
import { type Asked, asked, partsOf } from '../asking.ts';

const test = suite('claims that grow');

const ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const claim = (storage: string, storageClassName?: string, phase = 'Bound', annotations?: object) => ({
  metadata: { name: 'x', annotations },
  spec: { storageClassName, resources: { requests: { storage } } },
  status: { phase },
});
const UNBOUND = 'persistentvolumeclaims "x" is forbidden: Only bound persistent volume claims can be expanded';
const FIXED =
  'persistentvolumeclaims "x" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
const storageclasses = [
  { metadata: { name: 'grows' }, allowVolumeExpansion: true },
  { metadata: { name: 'fixed' }, allowVolumeExpansion: false },
  { metadata: { name: 'silent' } },
];

const ROWS: readonly (readonly [name: string, object: object, old: object, message: string | undefined])[] = [
  ['the same size', claim('1Gi', 'fixed'), claim('1024Mi', 'fixed'), undefined],
  ['smaller', claim('1Gi', 'fixed'), claim('2Gi', 'fixed'), undefined],
  ['larger', claim('2Gi', 'grows'), claim('1Gi', 'grows'), undefined],
  ['of a class by its annotation', claim('2Gi', undefined, 'Bound', { [ANNOTATION]: 'grows' }), claim('1Gi', 'grows'), undefined],
  ['of another class by its annotation', claim('2Gi', 'grows', 'Bound', { [ANNOTATION]: 'fixed' }), claim('1Gi', 'grows'), FIXED],
  ['not bound', claim('2Gi', 'grows'), claim('1Gi', 'grows', 'Pending'), UNBOUND],
  ['of a class that does not', claim('2Gi', 'fixed'), claim('1Gi', 'fixed'), FIXED],
  ['of a class that does not say', claim('2Gi', 'silent'), claim('1Gi', 'silent'), FIXED],
  ['of a class that is not there', claim('2Gi', 'none'), claim('1Gi', 'none'), FIXED],
  ['of no class', claim('2Gi'), claim('1Gi'), FIXED],
  ['of another class than before', claim('2Gi', 'grows'), claim('1Gi', 'fixed'), FIXED],
];
for (const [name, object, old, message] of ROWS)
  test(name, async () => {
    const given: Asked = { operation: 'update', resource: 'persistentvolumeclaims', object, old };
    const outcome = await asked(persistentVolumeClaimResize(partsOf({}, { storageclasses })), given);
    assert.is(typeof outcome === 'string' ? outcome : undefined, message);
  });

test('their status may say what it likes', async () => {
  const given: Asked = {
    operation: 'update',
    resource: 'persistentvolumeclaims',
    subresource: 'status',
    object: claim('2Gi'),
    old: claim('1Gi'),
  };
  assert.is(typeof (await asked(persistentVolumeClaimResize(partsOf()), given)), 'object');
});

test.run();
