/** Changes by apply configurations: partial objects are merged as a server-side apply merges them, and nobody owns what comes of it. */
import { atomicParts } from '../../apply/atomic-parts.ts';
import { intentErrors, typeErrorText } from '../../apply/intent.ts';
import { ElementError } from '../../apply/list-elements.ts';
import { mergeIntent } from '../../apply/merge.ts';
import { shapeOf } from '../../apply/object-shape.ts';
import { hasWellFormedLists } from '../../apply/well-formed-lists.ts';
import { PartialObject } from '../../expressions/libraries/patch-types.ts';
import { NoJson } from '../../expressions/values/json-of.ts';
import { DecodeError } from '../../schema/codec/codec.ts';
import { type Changing, decodedAs, type Mutation, MutationError } from './mutation.ts';
import { wrongTypeNames } from './type-names.ts';

export const applyConfiguration: Mutation = (value, changing) => {
  const { object } = changing;
  if (!(value instanceof PartialObject)) throw new MutationError('unsupported return type from ApplyConfiguration expression');
  try {
    const made = changing.made.of(value, 'plain') as object;
    const wrong = wrongTypeNames(value);
    if (wrong !== undefined) throw new MutationError(`type mismatch: ${wrong}`);
    const { apiVersion, kind: name } = object;
    const merged = mergeIntent(shapeOf(changing.kind.compiled), object, checked({ ...made, apiVersion, kind: name }, changing));
    return decodedAs(merged, changing).object;
  } catch (error) {
    if (error instanceof NoJson)
      throw new MutationError(`error applying patch: failed to convert patch object to typed object: ${error.message}`);
    if (error instanceof ElementError) throw new MutationError(`error applying patch: failed to merge patch: ${error.message}`);
    if (error instanceof DecodeError) throw new MutationError(error.message);
    throw error;
  }
};

/** @throws MutationError */
function checked(intent: object, { object, kind, isDescribed }: Changing): object {
  const { compiled } = kind;
  const errors = isDescribed
    ? intentErrors(compiled, intent)
    : [`no corresponding type for ${kind.group}/${kind.version}, Kind=${kind.kind}`];
  if (errors.length > 0) throw refused('failed to convert patch object to typed object', errors);
  const atomics = atomicParts(compiled, intent);
  if (atomics.length > 0)
    throw refused('invalid ApplyConfiguration', [`may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`]);
  // what other members have is what decoding has made of it, except of custom kinds
  if (!compiled.isGo || !hasWellFormedLists(shapeOf(compiled), object)) {
    const ofObject = intentErrors(compiled, object);
    if (ofObject.length > 0) throw refused('failed to convert original object to typed object', ofObject);
  }
  return intent;
}

const refused = (what: string, errors: readonly string[]): MutationError =>
  new MutationError(`error applying patch: ${what}: ${typeErrorText(errors)}`);
