/** The versions of a kind in whose terms fields are owned. */

import type { CompiledStruct } from '../schema/compile.ts';
import type { FieldPattern, FieldSet } from './field-set.ts';
import type { StructShape } from './shape.ts';

/** One version of a kind, as owners speak of it. */
export interface OwnedVersion {
  readonly apiVersion: string;
  /** what an object is decoded to */
  readonly type: CompiledStruct;
  /** that of the type */
  readonly shape: StructShape;
  /** fields that a write through this path does not change, whatever it sends */
  readonly resets: FieldSet;
  /** the only ones that it does change; undefined: all but `resets` */
  readonly owns?: FieldPattern | undefined;
}

/** Finds versions, and gives objects of one in the terms of another. */
export interface Versions {
  /** undefined for a version that is not served (any longer) */
  find(apiVersion: string): OwnedVersion | undefined;
  /** @param objects never changed. @returns as many, in the same order */
  convert(objects: readonly object[], from: OwnedVersion, to: OwnedVersion): readonly object[];
}

/** @returns as many, in the same order */
export function inVersion<T extends readonly object[]>(versions: Versions, objects: T, from: OwnedVersion, to: OwnedVersion): T {
  return from.apiVersion === to.apiVersion ? objects : (versions.convert(objects, from, to) as T);
}
