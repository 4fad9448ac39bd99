/** Reads patches: JSON Patch, merge patch and strategic merge patch (`patch-types.ts` has their media types). */

import type { ApiObject } from '../../../contract/object.ts';
import type { Kind } from '../../../registry/kinds/kind.ts';
import { requireFewCopies } from '../../../registry/stored-objects/long-value.ts';
import type { ParsedJson } from '../../../schema/json/json-exact.ts';
import { JsonSyntaxError, parseJson } from '../../../schema/json/json-text.ts';
import { isObject, type JsonObject } from '../../../schema/json/member.ts';
import { PatchError } from '../../../schema/patch/error.ts';
import { applyJsonPatch } from '../../../schema/patch/json-patch.ts';
import { applyMergePatch } from '../../../schema/patch/merge-patch.ts';
import { operationProblems } from '../../../schema/patch/operation-problems.ts';
import { patchedText } from '../../../schema/patch/patch-text.ts';
import { applyStrategicMergePatch } from '../../../schema/patch/strategic-merge-patch.ts';
import { restore } from '../../../schema/restore.ts';
import { jsonKind, ScalarError } from '../../../schema/scalar/scalar-error.ts';
import { mapText } from '../../../schema/text/go-printed.ts';
import { utf8Text } from '../../../schema/text/utf8-text.ts';
import { untypedValue } from '../../../schema/untyped.ts';
import { newBadRequest, newPatchRejected, newTooLarge, type StatusError, TOLD_LIMIT } from '../../../status/status.ts';
import type { FieldValidation, ParsedBody } from '../../bodies/body.ts';
import { type WriteOptions, writeOptions } from '../../options.ts';
import { readBody } from '../../read-body.ts';
import { type ResourceRequest, requireObjectPath } from '../../resource-request.ts';
import { JSON_PATCH, MERGE_PATCH, patchType, STRATEGIC_MERGE_PATCH } from './patch-types.ts';

/** Makes the patched object of the present one, both of the version that the request speaks. @throws StatusError */
export type PatchFunction = (current: ApiObject) => ParsedBody;

/**
 * Reads the body and the options of a patch of a type that there is. What is wrong with the patch itself is said once there is an object to patch, as in
 * 1.32.
 * @throws StatusError RequestEntityTooLarge, Invalid
 */
export async function readPatch(request: ResourceRequest): Promise<{ options: WriteOptions; applyPatch: PatchFunction }> {
  const prepare = PATCH_TYPES[patchType(request)] as Prepare;
  requireObjectPath(request.info);
  const body = await readBody(request);
  const options = writeOptions(request.info.query, 'patch', request.server.identity);
  request.client.recorder?.sentPatch(body);
  request.client.trace?.current.event('Recorded the audit event');
  let prepared: PatchFunction | undefined;
  const applyPatch: PatchFunction = (current) => {
    prepared ??= prepare(body, options.fieldValidation, request);
    return prepared(current);
  };
  return { options, applyPatch };
}

/** What 1.32 writes in the order of a type. Objects of definitions have none: all that they hold is written by name. */
const inOrder = ({ compiled }: Kind, object: ApiObject): ApiObject | undefined => (compiled.isGo ? object : undefined);

type Prepare = (patch: Buffer, validation: FieldValidation, request: ResourceRequest) => PatchFunction;

const PATCH_TYPES: Readonly<Record<string, Prepare>> = {
  [JSON_PATCH]: (patch, validation, { server, kind }) => {
    const parsed = parsePatch(patch, validation === 'Ignore' ? '' : DECODING);
    const operations = parsed.value ?? [];
    requireOperations(operations, validation);
    const problems = operationProblems(parsed).map((problem) => `json patch ${problem}`);
    return (current) => {
      const value = applied(() => applyJsonPatch(current, operations, { copied: server.longRequests && requireFewCopies }));
      return { value, duplicates: [], problems, patched: { text: () => patchedText(value, inOrder(kind, current)) }, order: 'byName' };
    };
  },
  [MERGE_PATCH]: (patch, validation, { kind }) => {
    const { value, duplicates } = validation === 'Ignore' ? parseMergePatch(patch) : parsePatch(patch, DECODING);
    if (value === null) throw notMergeable();
    if (validation !== 'Ignore') {
      requireObject(value, DECODING);
      requireDoubles(value, DECODING);
    }
    return (current) => {
      const merged = Array.isArray(value) ? value : applied(() => applyMergePatch(current, value));
      return { value: merged, duplicates, patched: { text: () => patchedText(merged, inOrder(kind, current)) }, order: 'byName' };
    };
  },
  [STRATEGIC_MERGE_PATCH]: (patch, _validation, { kind }) => {
    const { value: parsed, duplicates } = parsePatch(patch, '');
    const value = parsed ?? {};
    requireObject(value, '');
    requireDoubles(value, '');
    return (current) => {
      const merged = ofSameKind(applied(() => applyStrategicMergePatch(current, value, kind.compiled)) as JsonObject, current);
      const patched = { text: () => mapText(value, TOLD_LIMIT), restored: () => restore(kind.compiled, merged) };
      return { value: merged, duplicates, patched, order: 'byPath' };
    };
  },
};

/** What a strategic patch makes goes straight into the type of the path, as in 1.32: another kind or version in it means nothing. */
function ofSameKind(merged: JsonObject, { kind, apiVersion }: ApiObject): JsonObject {
  const named = { ...merged };
  if (typeof (merged.kind ?? '') === 'string') named.kind = kind;
  if (typeof (merged.apiVersion ?? '') === 'string') named.apiVersion = apiVersion;
  return named;
}

const DECODING = 'error decoding patch: ';

/** @throws StatusError BadRequest */
function parsePatch(patch: Buffer, prefix: string): ParsedJson {
  try {
    return parseJson(utf8Text(patch), patch, 'replaces');
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw newBadRequest(`${prefix}${error.message}`);
    throw error;
  }
}

/** Unless fields are validated, 1.32 leaves it to the merge what is none: a list takes the object's place. @throws StatusError BadRequest */
function parseMergePatch(patch: Buffer): { readonly value: unknown; readonly duplicates: readonly string[] } {
  try {
    const { value } = parseJson(utf8Text(patch), patch, 'replaces');
    if (isObject(value) || Array.isArray(value)) return { value, duplicates: [] };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw notMergeable();
}

const notMergeable = (): StatusError => newBadRequest('Invalid JSON Patch');

/** Unless nothing is validated, the members of operations have their types. @throws StatusError BadRequest */
function requireOperations(operations: unknown, validation: FieldValidation): asserts operations is unknown[] {
  const ignoring = validation === 'Ignore';
  if (!Array.isArray(operations)) throw ignoring ? notOf(operations, 'jsonpatch.Patch', '') : notOf(operations, '[]handlers.jsonPatchOp');
  for (const operation of operations) {
    if (operation === null) continue;
    if (!isObject(operation)) throw ignoring ? notOf(operation, 'jsonpatch.Operation', '') : notOf(operation, 'handlers.jsonPatchOp');
    if (ignoring) continue;
    for (const name of ['op', 'path', 'from']) {
      const value = operation[name] ?? '';
      if (typeof value !== 'string')
        throw newBadRequest(`${DECODING}json: cannot unmarshal ${jsonKind(value)} into Go struct field jsonPatchOp.${name} of type string`);
    }
  }
}

function requireObject(patch: unknown, prefix: string): void {
  if (!isObject(patch)) throw notOf(patch, 'map[string]interface {}', prefix);
}

/** Checks that all numbers of a patch can be represented: without a type, a number that is no integer is a double. @throws StatusError BadRequest */
function requireDoubles(patch: unknown, prefix: string): void {
  try {
    untypedValue(patch);
  } catch (error) {
    if (error instanceof ScalarError) throw newBadRequest(`${prefix}${error.message}`);
    throw error;
  }
}

function notOf(value: unknown, type: string, prefix = DECODING): StatusError {
  return newBadRequest(`${prefix}json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`);
}

/** @throws StatusError: 422 for an operation that does not fit the object, 400 for a patch that fits none */
function applied(apply: () => unknown): unknown {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw PATCH_ERRORS[error.reason](error.message);
  }
}

/** 1.32 answers 500 to strategic patches whose directives make no sense; they are the client's fault, and 400 says so. */
const PATCH_ERRORS: Readonly<Record<PatchError['reason'], (message: string) => StatusError>> = {
  malformed: newBadRequest,
  internal: newBadRequest,
  tooLarge: newTooLarge,
  failed: newPatchRejected,
};
