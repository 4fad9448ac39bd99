import { invalid } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { copyValue } from '../../schema/copy.ts';
import { JsonSyntaxError } from '../../schema/json-text.ts';
import { PatchError } from '../../schema/patch/error.ts';
import { applyJsonPatch, unknownOperationFields } from '../../schema/patch/json-patch.ts';
import { applyMergePatch } from '../../schema/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../schema/patch/strategic-merge-patch.ts';
import {
  newBadRequest,
  newInvalid,
  newPatchRejected,
  newPatchTooLarge,
  newUnsupportedPatchType,
  StatusError,
} from '../../status/status.ts';
import { decodeParsed, type ParsedBody, parseBody, readBody } from '../body.ts';
import { writeOptions } from '../options.ts';
import { type ResourceRequest, sendWritten } from '../resource-request.ts';
import { addWarnings } from '../warnings.ts';
import { apply } from './apply.ts';
import { updateOptions } from './update.ts';
import { admissionAttributes, kindWarnings, mutatingAdmission, requireNamespace, requireSameName, trackFields } from './write.ts';

/** Makes the patched object of the present one, both of the version that the request speaks. @throws StatusError */
export type PatchFunction = (current: ApiObject) => ParsedBody;

/** PATCH of one object, its status, or a part that its kind's rules name. Another writer's change in between makes it start over, unless the patch names a version. */
export async function patch(request: ResourceRequest): Promise<void> {
  if (patchType(request) === APPLY_PATCH) return apply(request);
  const { server, store, kind, info, context } = request;
  const applyPatch = await patchFunction(request);
  const options = writeOptions(info.query, 'patch', server.identity);
  let warnings: readonly string[] = [];
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    const current = kind.hub === kind ? old : kind.fromHub(copyValue(old));
    const decoded = decodePatched(withoutSameOwners(applyPatch(current), current), request, options.fieldValidation);
    warnings = decoded.warnings;
    requireNamespace(request, decoded.object);
    requireSameName(request, decoded.object);
    const fresh = kind.toHub(decoded.object);
    await trackFields(request, old, fresh, options);
    await mutatingAdmission(request, admissionAttributes(request, 'update', options.dryRun, fresh, old));
    return fresh;
  };
  const written = await store.update(info.namespace, info.name, produce, {
    ...updateOptions(request, options),
    retry: true,
    checkUid: false,
  });
  addWarnings(context, [...warnings, ...kindWarnings(request, written, options.dryRun)]);
  return sendWritten(request, written, 200);
}

/** What the patch leaves as it was need not be read again. */
function withoutSameOwners(parsed: ParsedBody, { metadata }: ApiObject): ParsedBody {
  const { managedFields } = metadata;
  const value = parsed.value as Partial<ApiObject> | null;
  if (managedFields === undefined || value?.metadata?.managedFields !== managedFields) return parsed;
  return { ...parsed, value: { ...value, metadata: { ...value.metadata, managedFields: undefined } } };
}

/** What a patched object decodes to; its faults are those of the patch. @throws StatusError Invalid */
export function decodePatched(parsed: ParsedBody, request: ResourceRequest, validation: 'Ignore' | 'Warn' | 'Strict') {
  try {
    return decodeParsed(parsed, request.kind, validation);
  } catch (error) {
    if (!(error instanceof StatusError) || error.status.reason !== 'BadRequest') throw error;
    throw newInvalid({ group: '', kind: '' }, '', [invalid('patch', parsed.patch ?? '', error.message)]);
  }
}

/** Reads the body and makes the function of its patch type. @throws StatusError UnsupportedMediaType, BadRequest, RequestEntityTooLarge */
export async function patchFunction(request: ResourceRequest): Promise<PatchFunction> {
  const type = patchType(request);
  const make = Object.hasOwn(PATCH_TYPES, type) ? PATCH_TYPES[type] : undefined;
  if (make === undefined) throw newUnsupportedPatchType();
  const body = await readBody(request.context.req);
  const patch = body.toString('utf8');
  const parsed = parsePatch(body);
  const apply = make(parsed.value, request);
  if (type !== JSON_PATCH) return (current) => ({ value: applied(apply, current), duplicates: parsed.duplicates, patch });
  const problems = operationProblems(parsed);
  return (current) => ({ value: applied(apply, current), duplicates: [], problems, patch });
}

/** What strict validation says of the operations themselves. */
function operationProblems({ value, duplicates }: ParsedBody): string[] {
  const unknown = unknownOperationFields(value).map((path) => `json patch unknown field ${JSON.stringify(path)}`);
  return [...duplicates.map((path) => `json patch duplicate field ${JSON.stringify(path)}`), ...unknown];
}

function parsePatch(body: Buffer): ParsedBody {
  try {
    return parseBody(body, 'json');
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw newBadRequest(error.message);
    throw error;
  }
}

export function patchType({ context }: ResourceRequest): string {
  return (context.req.headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '';
}

export const APPLY_PATCH = 'application/apply-patch+yaml';
const JSON_PATCH = 'application/json-patch+json';

type Apply = (current: ApiObject) => unknown;

const PATCH_TYPES: Readonly<Record<string, (patch: unknown, request: ResourceRequest) => Apply>> = {
  [JSON_PATCH]: (patch) => {
    if (!Array.isArray(patch)) throw newBadRequest('a JSON Patch is a list of operations');
    return (current) => applyJsonPatch(current, patch);
  },
  'application/merge-patch+json': (patch) => {
    requireObject(patch);
    return (current) => applyMergePatch(current, patch);
  },
  'application/strategic-merge-patch+json': (patch, { kind }) => {
    requireObject(patch);
    return (current) => applyStrategicMergePatch(current, patch, kind.compiled);
  },
};

function requireObject(patch: unknown): void {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) throw newBadRequest('a merge patch is a JSON object');
}

/** @throws StatusError: 422 for an operation that does not fit the object, 400 for a patch that fits none */
function applied(apply: Apply, current: ApiObject): unknown {
  try {
    return apply(current);
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw PATCH_ERRORS[error.reason](error.message);
  }
}

/** 1.32 answers 500 to strategic patches whose directives make no sense; they are the client's fault, and 400 says so. */
const PATCH_ERRORS: Readonly<Record<PatchError['reason'], (message: string) => StatusError>> = {
  malformed: newBadRequest,
  internal: newBadRequest,
  tooLarge: newPatchTooLarge,
  failed: newPatchRejected,
  wrongType: (message) => newInvalid({ group: '', kind: '' }, '', [invalid('patch', null, message)]),
};
