/** A change of an object by what an expression has made. */
import type { ApiObject } from '../../contract/object.ts';
import type { Value } from '../../expressions/values/value.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import type { MadeJson } from './made-json.ts';

export interface Changing {
  /** of `kind`; never changed */
  readonly object: ApiObject;
  readonly kind: Kind;
  /** whether the OpenAPI document of its group version describes the kind: apply configurations are read by what that says */
  readonly isDescribed: boolean;
  /** whether the object is as decoding leaves one: what a change leaves alone is not read again then, and gets no defaults */
  readonly isDecoded: boolean;
  readonly made: MadeJson;
}

/**
 * @param value what the expression came out as
 * @returns a new object of the kind with its defaults; the same one where the change does not apply to it
 * @throws MutationError, StatusError for what fails whatever the policy says of failures, LongObject where another thread is to do it
 */
export type Mutation = (value: Value, changing: Changing) => ApiObject;

/** Why an object cannot be changed so, in the words of 1.32. */
export class MutationError extends Error {}

/** @param changed JSON that shares with the object what a change has left alone */
export const decodedAs = (changed: object, { object, kind, isDecoded }: Changing): ReturnType<Kind['decode']> =>
  kind.decodeMade(changed, isDecoded ? { known: object } : {});
