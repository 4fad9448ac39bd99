/** Changes by JSON Patch (RFC 6902). */
import { PartialObject, PatchOperation } from '../../expressions/libraries/patch-types.ts';
import { NoJson } from '../../expressions/values/json-of.ts';
import { ListValue, type Value } from '../../expressions/values/value.ts';
import { LongObject } from '../../registry/stored-objects/long-value.ts';
import { DecodeError } from '../../schema/codec/codec.ts';
import type { JsonObject } from '../../schema/json/member.ts';
import { FailedTest, PatchError } from '../../schema/patch/error.ts';
import { applyJsonPatch } from '../../schema/patch/json-patch.ts';
import { strictErrors } from '../../schema/strict-errors.ts';
import { newInternalErrorOf } from '../../status/status.ts';
import { requireSameKind } from '../request/changed-object.ts';
import { type Changing, decodedAs, type Mutation, MutationError } from './mutation.ts';
import { wrongTypeNames } from './type-names.ts';

/** More of them take long. */
const FEW_OPERATIONS = 100;

export const jsonPatch: Mutation = (value, changing) => {
  const operations = operationsOf(value, changing);
  const { object } = changing;
  try {
    const patched = applyJsonPatch(object, operations) as JsonObject;
    if (operations.some(({ op }) => op === 'copy')) changing.made.requireBounded(patched);
    return decoded(patched, changing);
  } catch (error) {
    if (error instanceof FailedTest) return object;
    throw error instanceof PatchError ? new MutationError(`JSON Patch: ${error.message}`) : error;
  }
};

/** @throws MutationError, LongObject */
function operationsOf(value: Value, { made }: Changing): JsonObject[] {
  if (!(value instanceof ListValue)) throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array');
  if (value.size > FEW_OPERATIONS && !made.mayTakeLong) throw new LongObject();
  const operations = Array.from(value, checked);
  try {
    const json = made.of(value, 'protobuf') as JsonObject[];
    for (const { value: inserted } of operations) {
      if (inserted instanceof PatchOperation) throw new NoJson('cannot convert to native type: *structpb.Value');
      requireTypeNames(inserted);
    }
    return json.map((operation) => ({ op: '', path: '', ...operation }));
  } catch (error) {
    if (!(error instanceof NoJson)) throw error;
    throw new MutationError(`JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`);
  }
}

/** @throws MutationError */
function checked(operation: Value): PatchOperation {
  if (operation instanceof PatchOperation) return operation;
  throw new MutationError('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
}

/** @throws MutationError */
function requireTypeNames(value: Value | undefined): void {
  const wrong = value instanceof PartialObject ? wrongTypeNames(value) : undefined;
  if (wrong !== undefined) throw new MutationError(`type mismatch: ${wrong}`);
}

/** Strictly, where the type is one of the server's own. @throws StatusError InternalError */
function decoded(patched: JsonObject, changing: Changing): Changing['object'] {
  const { compiled } = changing.kind;
  requireSameKind(patched, changing.object);
  try {
    const read = decodedAs(patched, changing);
    const errors = compiled.isGo ? strictErrors({ duplicates: [] }, compiled, read.unknownFields) : [];
    if (errors.length > 0) throw newInternalErrorOf(`strict decoding error: ${errors.join(', ')}`);
    return read.object;
  } catch (error) {
    throw error instanceof DecodeError ? newInternalErrorOf(error.message) : error;
  }
}
