import type { RegistrySnapshot } from '../registry/resources/registry-snapshot.ts';

/** Kinds of the metadata group, which every group's answers may be made of. */
const META_KINDS = ['Status', 'Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'];

/** Loads what answers as protobuf may be made of. */
export async function loadMetaKinds(registry: RegistrySnapshot): Promise<void> {
  if (registry.loadedMetaKind('Status') !== undefined) return;
  await Promise.all(META_KINDS.map((kind) => registry.metaKind(kind)));
}
