/** Server-side apply: a PATCH whose body is what the applier wants of an object, in YAML or JSON, or in CBOR. */

import { conflictCauses, conflictMessage } from '../../../apply/conflict-text.ts';
import { ApplyConflicts } from '../../../apply/ownership.ts';
import { json, map } from '../../../contract/descriptor.ts';
import { writeJson } from '../../../contract/json-writer.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { type AppliedObject, BadIntent } from '../../../registry/resource-store/field-manager.ts';
import type { Written } from '../../../registry/resource-store/object-writes.ts';
import { unconvertible } from '../../../registry/resource-store/unfit-objects.ts';
import { leaveUnsettled } from '../../../registry/unsettled-objects.ts';
import { CborError } from '../../../schema/cbor/error.ts';
import { DecodeError } from '../../../schema/codec/codec.ts';
import { CompiledMap, CompiledScalar } from '../../../schema/compile.ts';
import { JsonSyntaxError, parseJson } from '../../../schema/json/json-text.ts';
import { isObject, type JsonObject } from '../../../schema/json/member.ts';
import { withNumbersByValue } from '../../../schema/patch/numbers-by-value.ts';
import { jsonKind } from '../../../schema/scalar/scalar-error.ts';
import { parseYaml, YamlSyntaxError } from '../../../schema/yaml/parse-yaml.ts';
import { yamlText } from '../../../schema/yaml/yaml-bytes.ts';
import { newApplyConflict, newBadRequest, newConflict } from '../../../status/status.ts';
import { requireNamespace } from '../../namespace-of-path.ts';
import { type WriteOptions, writeOptions } from '../../options.ts';
import { readBody } from '../../read-body.ts';
import { addWarnings } from '../../request/warnings.ts';
import { type ResourceRequest, requireObjectPath, sendWritten } from '../../resource-request.ts';
import { WriteAdmission } from './admit.ts';
import type { ApplyForm } from './patch-types.ts';
import { updateOptions } from './update.ts';
import { requireSameName, writeContext } from './write.ts';

/** An apply patch to an object, which it creates where there is none, or to one of its subresources. */
export async function apply(request: ResourceRequest, form: ApplyForm): Promise<void> {
  const { server, store, info, kind } = request;
  const { options, applyTo } = await readApply(request, form);
  const admission = new WriteAdmission(request, 'update', options);
  let sent: unknown;
  const span = request.client.trace?.current;
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    span?.event('About to apply patch');
    const applied = await applyTo(old);
    sent = applied.sent;
    const fresh = kind.toHub(applied.object);
    span?.event('About to check admission control');
    await admission.mutatePatched(fresh, old, applied.emptied);
    return fresh;
  };
  const createMissing = async (): Promise<Written> => {
    span?.event('About to apply patch');
    const applied = await applyTo(undefined);
    const fresh = kind.toHub(applied.object);
    delete fresh.metadata.resourceVersion;
    span?.event('About to check admission control');
    const creation = new WriteAdmission(request, 'create', options);
    await creation.mutatePatched(fresh, undefined, applied.emptied);
    const context = writeContext(request, options.dryRun, () => applied.sent);
    return store.create(fresh, context, creation.validateCreation, { byUpdate: true, keepsOwners: true });
  };
  const written = await store.update(info.namespace, info.name, produce, {
    ...updateOptions(request, options, admission, () => sent),
    createMissing,
    retry: true,
    keepsOwners: true,
  });
  span?.event('Object stored in database');
  return sendWritten(request, written, written.outcome === 'created' ? server.identity.createStatus : 200);
}

/** Makes the object, of the version of the path, that an apply makes of the stored one; of none: a new one. @throws StatusError */
export type ApplyTo = (old: ApiObject | undefined) => Promise<AppliedObject>;

/** Reads the body and the options of an apply. @throws StatusError BadRequest, Invalid, RequestEntityTooLarge */
export async function readApply(request: ResourceRequest, form: ApplyForm): Promise<{ options: WriteOptions; applyTo: ApplyTo }> {
  const { server, client, info, resource, kind } = request;
  requireObjectPath(info);
  const body = await readBody(request);
  const options = writeOptions(info.query, 'apply', server.identity);
  const read = form === 'cbor' ? await cborIntent(body) : undefined;
  client.recorder?.sentPatch(read === undefined ? body : Buffer.from(writeJson(read.intent)));
  client.trace?.current.event('Recorded the audit event');
  const { intent, problems } = read ?? parseIntent(body);
  const manager = server.fieldManagers.of(resource, kind, info.subresource);
  const applyTo: ApplyTo = async (old) => {
    const { object, sent, emptied } = await applied(intent, () =>
      manager.apply(old, intent as ApiObject, options.fieldManager, options.force === true, client.chosen('time', Date.now), client),
    );
    if (!kind.compiled.isGo && hasNull(intent)) leaveUnsettled(object, kind);
    tellProblems(request, problems, options);
    if (old === undefined) requireNoUid(request, object);
    requireNamespace(request, object);
    requireSameName(request, object);
    return { object, sent, emptied };
  };
  return { options, applyTo };
}

/** Whether a parsed JSON value has null anywhere: an apply leaves null where it stands, until validation has seen it. */
function hasNull(value: unknown): boolean {
  const pending = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (next === null) return true;
    if (typeof next !== 'object') continue;
    for (const member of Object.values(next)) pending.push(member);
  }
  return false;
}

/** @throws StatusError for what is wrong with the intent, 409 for fields that others own */
async function applied(intent: JsonObject, act: () => Promise<AppliedObject>): Promise<AppliedObject> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ApplyConflicts) throw newApplyConflict(conflictMessage(error.conflicts), conflictCauses(error.conflicts));
    if (error instanceof BadIntent) throw newBadRequest(error.message);
    if (error instanceof DecodeError) throw newBadRequest(unconvertible(intent, error.message));
    if (error instanceof RangeError) throw newBadRequest('exceeded max depth');
    throw error;
  }
}

interface Intent {
  readonly intent: JsonObject;
  /** keys that stand twice */
  readonly problems: readonly string[];
}

/** @throws StatusError BadRequest */
function parseIntent(body: Buffer): Intent {
  const { value: written, problems } = parsed(body);
  // As in strategic patches: 1.32 holds them as doubles, and a quantity is read from what is written of one. What is too large for a double is a text in YAML.
  const value = withNumbersByValue(written, ({ rawJSON }) => rawJSON);
  if (isObject(value)) return { intent: value, problems };
  if (value === null) return { intent: {}, problems };
  const mismatch = `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
  throw newBadRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${mismatch}`);
}

/** What stands twice in CBOR is refused. @throws StatusError BadRequest, in the words of 1.32, which has the same ones for YAML */
async function cborIntent(body: Buffer): Promise<Intent> {
  const { decodeCbor } = await import('../../../schema/cbor/decode.ts');
  try {
    const intent = decodeCbor(body, ANY_OBJECT).value ?? {};
    return { intent: intent as JsonObject, problems: NO_PROBLEMS };
  } catch (error) {
    if (error instanceof CborError) throw newBadRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
}

/** @throws StatusError BadRequest */
function parsed(body: Buffer) {
  try {
    const text = yamlText(body);
    return parsedJson(text) ?? parseYaml(text);
  } catch (error) {
    if (error instanceof YamlSyntaxError) throw newBadRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${error.message}`);
    if (error instanceof JsonSyntaxError) throw newBadRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
}

/** The type of an object with any members. */
const ANY_OBJECT = new CompiledMap(map(json), new CompiledScalar('json'), false);

const NO_PROBLEMS: readonly string[] = [];

/** Reads YAML that is also JSON, which is much faster. @returns undefined if it is not JSON, or if YAML would report something about it */
function parsedJson(text: string): { readonly value: unknown; readonly problems: readonly string[] } | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const { value, duplicates } = parseJson(text);
    return duplicates.length === 0 ? { value, problems: NO_PROBLEMS } : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Only once the apply itself has succeeded, as in 1.32. @throws StatusError BadRequest at level Strict */
function tellProblems({ context }: ResourceRequest, problems: readonly string[], { fieldValidation }: WriteOptions): void {
  if (problems.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation !== 'Strict') return addWarnings(context, problems);
  const lines = problems.map((problem) => `  ${problem}`).join('\n');
  throw newBadRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${lines}`);
}

function requireNoUid({ resource, info }: ResourceRequest, { metadata }: ApiObject): void {
  const uid = metadata.uid ?? '';
  if (uid === '') return;
  const cause = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw newConflict(resource.groupResource, info.name, cause);
}
