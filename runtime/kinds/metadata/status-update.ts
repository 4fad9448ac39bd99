import type { ApiObject, ObjectMeta } from '../../contract/object.ts';

/** Members that clients may change on the main resource. */
const CLIENT_MEMBERS = ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const satisfies readonly (keyof ObjectMeta)[];

/** For kinds whose subresource `status` leaves the metadata as it was: `object` gets the old labels, annotations, owners and finalizers. */
export function keepMetadata(object: ApiObject, old: ApiObject): void {
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const member of CLIENT_MEMBERS) {
    if (old.metadata[member] === undefined) delete metadata[member];
    else metadata[member] = old.metadata[member];
  }
  object.metadata = metadata as ObjectMeta;
}
