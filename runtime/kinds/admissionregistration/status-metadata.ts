import type { ObjectMeta } from '../../contract/object.ts';

const KEPT = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** An update of a status that changes no metadata at all; changes `metadata`. */
export function keepMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  for (const key of KEPT) {
    if (old[key] === undefined) delete metadata[key];
    else Object.assign(metadata, { [key]: old[key] });
  }
}
