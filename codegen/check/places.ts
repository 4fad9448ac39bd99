/** Where something stands, for diagnostics. */
import type { GroupVersion, NamedType } from '../model/model.ts';

/** Place of a type, or of one of its fields, in its document. */
export function placeOf(groupVersion: GroupVersion, type: NamedType, field?: string): { file: string; path: string } {
  const { file, path } = type.statedAt ?? { file: groupVersion.source, path: `components.schemas.${type.name}` };
  return { file, path: field === undefined ? path : `${path}.properties.${field}` };
}

/** Place of something that a resource states. */
export function resourcePlace(groupVersion: GroupVersion, resource: string, member = ''): { file: string; path: string } {
  return { file: groupVersion.source, path: `x-cluster-resources.${resource}${member === '' ? '' : `.${member}`}` };
}
