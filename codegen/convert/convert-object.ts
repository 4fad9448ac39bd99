/**
 * Converts one object to another version, as a server does: it is decoded with the defaults of its version, converted to the hub and on to the other version.
 * The result has what its author wrote and, where the other version's own defaults would mean something else, the members that make up for that. Decoded in the
 * other version it is exactly what the server would have made of it.
 */

import type { ApiObject } from '../../runtime/contract/object.ts';
import type { Kind } from '../../runtime/registry/kinds/kind.ts';
import { copyValue } from '../../runtime/schema/copy.ts';
import { deepEqual } from '../../runtime/schema/equal.ts';
import { isObject, type JsonObject } from '../../runtime/schema/json/member.ts';
import { asWritten } from './as-written.ts';
import { type Conversion, through } from './conversion.ts';
import type { KnownKind, KnownKinds } from './known-kinds.ts';
import { afterConversion } from './notices/after-conversion.ts';

export interface ConvertedObject {
  readonly value: JsonObject;
  /** Sentences; one about a member begins with its path. */
  readonly notices: readonly string[];
}

/**
 * @param written the object, with `kind` and `apiVersion` of `from`; it is not changed
 * @param withDefaults whether the result has all members that the object has then, as with kubectl convert
 * @throws DecodeError for a value of the wrong type
 */
export async function convertObject(
  kinds: KnownKinds,
  written: JsonObject,
  { from, to, withDefaults }: { from: KnownKind; to: KnownKind; withDefaults: boolean },
): Promise<ConvertedObject> {
  const [source, target] = await Promise.all([kinds.load(from), kinds.load(to)]);
  const { object: before, unknownFields } = source.decode(copyValue(written));
  const after = through(source, target, before);
  const meant = target.decode(copyValue(after)).object;
  const stated = statedMembers(source, target, written) ?? after;
  const bare = target.decode(copyValue(stated)).object;
  const conversion: Conversion = { from: source, to: target, written, before, after, meant, bare, unknownFields };
  const value = withDefaults ? after : whatIsMissing(conversion, stated);
  return { value, notices: await afterConversion(kinds, from, conversion) };
}

/**
 * Converts only what the author wrote.
 * @returns undefined if a hand-written conversion needs members that defaults set
 */
function statedMembers(from: Kind, to: Kind, written: JsonObject): ApiObject | undefined {
  try {
    return through(from, to, from.normalized(copyValue(written)));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function whatIsMissing({ from, to, written, after, meant, bare }: Conversion, stated: ApiObject): JsonObject {
  const isMeant = (value: JsonObject): boolean => {
    const { object, unknownFields } = to.decode(copyValue(value));
    return unknownFields.length === 0 && deepEqual(object, meant);
  };
  const value = restored(stated, bare, meant) as JsonObject;
  const whole = isMeant(value) ? value : (after as JsonObject);
  return asWritten(whole, { written, read: from.normalized(copyValue(written)), isMeant });
}

/**
 * @param bare what the other version makes of `stated`
 * @param meant what the object means in the other version
 * @returns `stated` with the members of `meant` that are missing or different in `bare`
 */
function restored(stated: unknown, bare: unknown, meant: unknown): unknown {
  if (deepEqual(bare, meant)) return stated;
  if (isObject(stated) && isObject(bare) && isObject(meant)) {
    const members = Object.keys(meant).flatMap((name) => {
      if (stated[name] !== undefined) return [[name, restored(stated[name], bare[name], meant[name])]];
      return deepEqual(bare[name], meant[name]) ? [] : [[name, meant[name]]];
    });
    return Object.fromEntries(members);
  }
  if (
    Array.isArray(stated) &&
    Array.isArray(bare) &&
    Array.isArray(meant) &&
    stated.length === meant.length &&
    bare.length === meant.length
  )
    return stated.map((element, index) => restored(element, bare[index], meant[index]));
  return meant;
}
