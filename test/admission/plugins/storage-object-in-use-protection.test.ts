/** Which objects get the finalizer that keeps them while they are in use. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storageObjectInUseProtection } from '../../../runtime/admission/plugins/storage-object-in-use-protection.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('protection of storage in use');

const VOLUME = identity.text('${labelDomain}/pv-protection');
const CLAIM = identity.text('${labelDomain}/pvc-protection');
const CLAIMS = 'persistentvolumeclaims';

interface Row {
  readonly name: string;
  readonly operation?: AdmissionAttributes['operation'];
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly finalizers?: readonly string[];
  /** finalizers as they are then */
  readonly becomes?: readonly string[];
}

const rows: readonly Row[] = [
  { name: 'a volume', resource: 'persistentvolumes', becomes: [VOLUME] },
  { name: 'a claim', becomes: [CLAIM] },
  { name: 'its own finalizers stay', finalizers: ['e.com/x'], becomes: ['e.com/x', CLAIM] },
  { name: 'the finalizer itself', finalizers: [CLAIM, 'e.com/x'], becomes: [CLAIM, 'e.com/x'] },
  { name: 'the finalizer of the other resource', finalizers: [VOLUME], becomes: [VOLUME, CLAIM] },
  { name: 'a claim that changes', operation: 'update' },
  { name: 'a subresource', subresource: 'status' },
  { name: 'another resource', resource: 'pods' },
  { name: 'another group', group: 'e.com' },
];

for (const { name, operation = 'create', group = '', resource = CLAIMS, subresource = '', finalizers, becomes } of rows)
  test(name, async () => {
    const object = { metadata: finalizers === undefined ? {} : { finalizers: [...finalizers] } };
    const attributes = { operation, resource: { groupResource: { group, resource } }, subresource, object };
    await storageObjectInUseProtection(identity).mutate?.(attributes as unknown as AdmissionAttributes);
    assert.equal(object.metadata, becomes === undefined ? {} : { finalizers: becomes });
  });

test.run();
