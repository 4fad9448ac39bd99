/** Finds the places in files that diagnostics name. */
import type { GroupVersion, NamedType } from '../model/model.ts';

/**
 * @returns the place of a type in the document of its version. With `field`, that of the field, which is in another document if that states the type's schema
 */
export function placeOf(groupVersion: GroupVersion, type: NamedType, field?: string): { file: string; path: string } {
  const own = { file: groupVersion.source, path: `components.schemas.${type.name}` };
  const { file, path } = (field === undefined ? undefined : type.statedAt) ?? own;
  return { file, path: field === undefined ? path : `${path}.properties.${field}` };
}

/** @returns the place of a resource, or of one of its members */
export function resourcePlace(groupVersion: GroupVersion, resource: string, member = ''): { file: string; path: string } {
  return { file: groupVersion.source, path: `x-cluster-resources.${resource}${member === '' ? '' : `.${member}`}` };
}
