/** The versions of a kind to which owned fields refer. */

import type { CompiledStruct } from '../schema/compile.ts';
import type { FieldPattern, FieldSet } from './field-set.ts';
import type { StructShape } from './shape.ts';

/** One version of a kind, as owners refer to it. */
export interface OwnedVersion {
  readonly apiVersion: string;
  /** the type to which objects are decoded */
  readonly type: CompiledStruct;
  /** shape of the type */
  readonly shape: StructShape;
  /** fields that a write through this path does not change, whatever it sends */
  readonly resets: FieldSet;
  /** the only fields that it changes; undefined: all except `resets` */
  readonly owns?: FieldPattern | undefined;
}

/** Finds versions, and converts objects between them. */
export interface Versions {
  /** @returns undefined for a version that is not served */
  find(apiVersion: string): OwnedVersion | undefined;
  /** @param objects never changed @returns the converted objects in the same order */
  convert(objects: readonly object[], from: OwnedVersion, to: OwnedVersion): readonly object[];
}

/** @returns the objects in the version `to`, in the same order */
export function inVersion<T extends readonly object[]>(versions: Versions, objects: T, from: OwnedVersion, to: OwnedVersion): T {
  return from.apiVersion === to.apiVersion ? objects : (versions.convert(objects, from, to) as T);
}
