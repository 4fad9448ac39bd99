/** A codec of values as a server of all features has it, and objects as such a server stores them. */
import { ObjectMeta } from '../../../generated/meta/v1/descriptors.ts';
import { currentRelease } from '../../../generated/releases.ts';
import { groupVersions } from '../../../generated/routes.ts';
import { ruleModules } from '../../../generated/rules.ts';
import { emulate } from '../../../runtime/assembly/setup/chosen-api.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { createValueCodec, type ValueCodecParts } from '../../../runtime/registry/etcd/value-codec.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { selectableField } from '../../../runtime/registry/kinds/selectable-field.ts';
import { BuiltInApi } from '../../../runtime/registry/resources/built-in-api.ts';
import type { Resource } from '../../../runtime/registry/resources/resource.ts';
import { encodeStoredObject, metadataOrder, StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import type { ReadValue, ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import { fillRevision } from '../../../runtime/storage/storage.ts';
import { identity } from '../../kinds/context.ts';

export const builtIn = new BuiltInApi({
  data: groupVersions,
  identity,
  rules: ruleModules,
  serves: () => true,
  featureEnabled: () => true,
  release: currentRelease,
});

export function codecOf(parts: Partial<ValueCodecParts> = {}): ValueCodec {
  return createValueCodec({
    builtIn,
    groupVersions,
    loadPast: emulate,
    mediaType: 'application/vnd.kubernetes.protobuf',
    customResource: () => undefined,
    loadObjectMeta: async () => ObjectMeta,
    ...parts,
  });
}

/** Every stored resource of the schemas once, with the kind that is stored. */
export async function storedKinds(): Promise<{ resource: Resource; kind: Kind; prefix: string }[]> {
  const resources = builtIn.snapshot.storedResources().flatMap((resource) => {
    const { storage } = resource.data;
    return storage === undefined ? [] : [{ resource, storage }];
  });
  return Promise.all(
    resources.map(async ({ resource, storage: { group, version, kind, prefix } }) => ({
      resource,
      prefix,
      kind: await builtIn.storedKinds.kind(group, version, kind),
    })),
  );
}

/** @param object of the kind, decoded. @returns as a store has it that has given it this revision */
export function storedBytes(kind: Kind, object: ApiObject, fields: readonly string[], revision = 7): Buffer {
  const selectable = fields.map((path) => selectableField(kind, object, path));
  const { bytes, revisionOffset } = encodeStoredObject(object, kind.data.schemaHash, selectable, metadataOrder(kind.data.type));
  fillRevision(bytes, revisionOffset, revision);
  return bytes;
}

/** What the store above makes of a value that was read. */
export function filled({ bytes, revisionOffset }: ReadValue, revision = 7): StoredObject {
  if (revisionOffset >= 0) fillRevision(bytes, revisionOffset, revision);
  return new StoredObject(bytes);
}
