import { invalid } from '../../../contract/field-error.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { DecodeError } from '../../../schema/codec/codec.ts';
import { copyValue } from '../../../schema/copy.ts';
import { withoutEmptyBytes } from '../../../schema/emptied-members.ts';
import type { JsonObject } from '../../../schema/json/member.ts';
import { hasReason, newInvalid, type StatusError } from '../../../status/status.ts';
import { type DecodedBody, decodeParsed, type FieldValidation, type ParsedBody } from '../../bodies/body.ts';
import { WrongKindError } from '../../bodies/body-kind.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import { addWarnings } from '../../request/warnings.ts';
import { type ResourceRequest, sendWritten } from '../../resource-request.ts';
import { WriteAdmission } from './admit.ts';
import { apply } from './apply.ts';
import { applyForm, patchType, STRATEGIC_MERGE_PATCH } from './patch-types.ts';
import { readPatch } from './read-patch.ts';
import { updateOptions } from './update.ts';
import { requireSameName, trackFields } from './write.ts';

/** PATCH of one object, its status, or a part that its kind's rules name. Another writer's change in between makes it start over, unless the patch names a version. */
export async function patch(request: ResourceRequest): Promise<void> {
  const form = applyForm(request);
  if (form !== undefined) return apply(request, form);
  const { store, kind, info, context } = request;
  const { options, applyPatch } = await readPatch(request);
  const admission = new WriteAdmission(request, 'update', options);
  const isStrategic = patchType(request) === STRATEGIC_MERGE_PATCH;
  let sent: unknown;
  const span = request.client.trace?.current;
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    span?.event('About to apply patch');
    const current = kind.hub === kind ? old : kind.fromHub(copyValue(old));
    const decoding = decodePatched(withoutSameOwners(applyPatch(current), current), request, options.fieldValidation, current);
    const decoded = decoding instanceof Promise ? await decoding : decoding;
    sent = decoded.sent;
    addWarnings(context, decoded.warnings);
    requireNamespace(request, decoded.object);
    requireSameName(request, decoded.object);
    const fresh = kind.toHub(decoded.object);
    const tracking = trackFields(request, old, fresh, { options, emptied: decoded.emptied });
    if (tracking !== undefined) await tracking;
    span?.event('About to check admission control');
    const mutating = admission.mutatePatched(fresh, old, decoded.emptied);
    if (mutating !== undefined) await mutating;
    return fresh;
  };
  const written = await store.update(info.namespace, info.name, produce, {
    ...updateOptions(request, options, admission, () => (isStrategic ? withoutEmptyBytes(kind.compiled, sent) : sent)),
    retry: true,
  });
  span?.event('Object stored in database');
  return sendWritten(request, written, 200);
}

/** What the patch leaves as it was need not be read again. */
function withoutSameOwners(parsed: ParsedBody, { metadata }: ApiObject): ParsedBody {
  const { managedFields } = metadata;
  const value = parsed.value as Partial<ApiObject> | null;
  if (managedFields === undefined || value?.metadata?.managedFields !== managedFields) return parsed;
  return { ...parsed, value: { ...value, metadata: { ...value.metadata, managedFields: undefined } } };
}

/**
 * What a patched object decodes to; its faults are those of the patch.
 * @param current what was patched, where it is of the request's kind: what the patch leaves as it is need not be read again
 * @returns a promise where the patch has made another kind or version of it
 * @throws StatusError Invalid
 */
export function decodePatched(
  parsed: ParsedBody,
  request: ResourceRequest,
  validation: FieldValidation,
  current?: ApiObject,
): DecodedBody | Promise<DecodedBody> {
  const { text = () => '', restored } = parsed.patched ?? {};
  try {
    return decodeParsed(parsed, request.kind, validation, current && { known: withoutMetadata(current) });
  } catch (error) {
    if (!hasReason(error, 'BadRequest')) throw error;
    const wrong = error instanceof WrongKindError ? error.ofPatch() : undefined;
    if (wrong !== undefined) throw wrong;
    if (error instanceof WrongKindError && request.kind.compiled.isGo) return decodeConverted(error, parsed, request, validation);
    if (restored === undefined) throw patchInvalid(text(), error.message);
  }
  return decodePatched({ ...parsed, value: restoredValue(restored, text), patched: { text } }, request, validation);
}

/** An object that a patch has made one of another version of its kind is converted back, as in 1.32. @throws StatusError Invalid */
async function decodeConverted(
  wrongKind: WrongKindError,
  parsed: ParsedBody,
  { kind, registry }: ResourceRequest,
  validation: FieldValidation,
): Promise<DecodedBody> {
  const problem = (message: string) => patchInvalid(parsed.patched?.text() ?? '', message);
  const sent = await wrongKind.convertible(registry);
  if (typeof sent === 'string') throw problem(sent);
  try {
    const { object, warnings } = decodeParsed(parsed, sent, validation);
    const converted = kind.fromHub(sent.toHub(object));
    return { object: converted, warnings };
  } catch (error) {
    throw hasReason(error, 'BadRequest') ? problem(error.message) : error;
  }
}

/** Every write changes metadata, which must be the object's own. */
function withoutMetadata({ metadata: _changed, ...members }: ApiObject): JsonObject {
  return members;
}

function restoredValue(restored: () => unknown, text: () => string): unknown {
  try {
    return restored();
  } catch (error) {
    throw error instanceof DecodeError ? patchInvalid(text(), error.message) : error;
  }
}

function patchInvalid(patch: string, problem: string): StatusError {
  return newInvalid({ group: '', kind: '' }, '', [invalid('patch', patch, problem)]);
}
