/**
 * POST of an Eviction to a pod's subresource: deletes the pod where its disruption budget affords that.
 */
import type { ApiObject } from '../../../contract/object.ts';
import type { Encoding } from '../../../negotiation/negotiation.ts';
import type { Kind } from '../../../registry/kinds/kind.ts';
import { preconditionConflict } from '../../../registry/resource-store/deletion.ts';
import { timestamp } from '../../../registry/resource-store/strategy.ts';
import { copyValue } from '../../../schema/copy.ts';
import { isConflict, newBadRequest, type Status } from '../../../status/status.ts';
import { type DecodedBody, decodeObject, type FieldValidation, openEnvelope, parseBody } from '../../bodies/body.ts';
import { UnrecognizedBodyError } from '../../bodies/unrecognized-body.ts';
import { type DeleteOptionsBody, deleteOptions, writeOptions } from '../../options.ts';
import { readBody } from '../../read-body.ts';
import { addWarnings } from '../../request/warnings.ts';
import { type ResourceRequest, sendStatus } from '../../resource-request.ts';
import { WriteAdmission } from '../verbs/admit.ts';
import { beginNew, bodyEncoding, tracedWrite, type Write } from '../verbs/write.ts';
import { budgetsOf, isEvictableUnhealthy, stillProcessed, takeDisruption } from './disruption-budgets.ts';

type EvictionOptions = ReturnType<typeof deleteOptions>;

const EVICTED: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
type Outcome = Status & { readonly code: number };

const MANY_BUDGETS: Outcome = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  code: 500,
};

/** Tries at most before a pod that others keep changing is given up. */
const MAX_ATTEMPTS = 20;

export async function evict(request: ResourceRequest): Promise<void> {
  const write = await readEviction(request);
  const status = await tracedWrite(request, () => evicted(request, write));
  return sendStatus(request, status, status.code);
}

async function evicted(request: ResourceRequest, write: Write): Promise<Outcome> {
  const { server, info } = request;
  const options = await admitted(request, write);
  const pod = await deleteUnguarded(request, options);
  if (pod !== undefined) {
    const budgets = await budgetsOf(server, pod);
    if (budgets.length > 1) return MANY_BUDGETS;
    const budget = budgets[0];
    if (budget === undefined) await markAndDelete(request, options);
    else if (isEvictableUnhealthy(pod, budget)) await deleteUnhealthy(request, pod, budget, options);
    else {
      await takeDisruption(request, budget, info.name, options.dryRun);
      await markAndDelete(request, options);
    }
  }
  return { ...EVICTED, code: server.identity.createStatus };
}

/** @throws StatusError */
async function readEviction(request: ResourceRequest): Promise<Write> {
  const { server, info, client } = request;
  const encoding = bodyEncoding(request);
  const body = await readBody(request);
  const options = writeOptions(info.query, 'create', server.identity);
  client.trace?.current.event('About to convert to expected version');
  const { object } = await decodeEviction(request, body, encoding, options.fieldValidation);
  client.recorder?.sent(object);
  client.trace?.current.event('Conversion done');
  beginNew(request, object);
  return { options, object };
}

/** @returns how to delete the pod. @throws StatusError */
async function admitted(
  request: ResourceRequest,
  { options: { dryRun, fieldValidation }, object: eviction }: Write,
): Promise<EvictionOptions> {
  const { server, info } = request;
  const admission = new WriteAdmission(request, 'create', { dryRun, fieldValidation });
  await admission.mutate(eviction, undefined);
  if (eviction.metadata.name !== info.name) throw newBadRequest('name in URL does not match name in Eviction object');
  const given = (eviction.deleteOptions ?? {}) as DeleteOptionsBody;
  const options = deleteOptions(info.query, { ...given, dryRun: agreedDryRun(given.dryRun ?? [], info.query.all('dryRun')) }, server);
  await admission.validate(eviction, undefined);
  return options;
}

/** Query and options may both ask for a dry run, and must then agree. @throws StatusError BadRequest */
function agreedDryRun(content: readonly string[], query: readonly string[]): readonly string[] {
  if (content.length === 0 || query.length === 0) return content.length === 0 ? query : content;
  if (content.join() === query.join()) return content;
  throw newBadRequest(`Non-matching dry-run options in request and content: [${query.join(' ')}] vs [${content.join(' ')}]`);
}

/** Both versions of Eviction are taken at the one path. */
async function decodeEviction(
  request: ResourceRequest,
  body: Buffer,
  encoding: Encoding,
  validation: FieldValidation,
): Promise<DecodedBody> {
  const kind = await evictionKind(request, await apiVersionOf(request, body, encoding));
  return decodeObject(body, encoding, kind, validation, request.registry, (texts) => addWarnings(request.context, texts));
}

const OLDER_VERSION = 'v1beta1';

async function evictionKind({ registry, kind }: ResourceRequest, apiVersion: unknown): Promise<Kind> {
  return apiVersion === `${kind.group}/${OLDER_VERSION}` ? registry.kind(kind.group, OLDER_VERSION, kind.kind) : kind;
}

/** Nothing of a body that names none: decoding it says what is wrong. */
async function apiVersionOf({ kind }: ResourceRequest, body: Buffer, encoding: Encoding): Promise<unknown> {
  try {
    if (encoding === 'cbor') return (await import('../../bodies/cbor-body.ts')).cborNames(body, kind).apiVersion;
    const named = encoding === 'protobuf' ? openEnvelope(body) : parseBody(body, encoding).value;
    return (named as Partial<ApiObject> | null)?.apiVersion;
  } catch (error) {
    if (error instanceof UnrecognizedBodyError) return undefined;
    throw error;
  }
}

/**
 * Deletes a pod that no budget guards: one that has ended, has not begun, or is going already.
 * @returns the pod where it is guarded, undefined where it is deleted. @throws StatusError NotFound, Conflict
 */
async function deleteUnguarded(request: ResourceRequest, options: EvictionOptions): Promise<ApiObject | undefined> {
  const { store, info } = request;
  for (let attempt = 1; ; attempt++) {
    const { object: pod } = store.get(info.namespace, info.name);
    if (!isUnguarded(pod)) return pod;
    try {
      await markAndDelete(request, hasEnded(pod) ? options : ofVersion(options, pod));
      return undefined;
    } catch (error) {
      if (!isConflict(error) || namesVersion(options) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

function hasEnded({ metadata, status }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

function isUnguarded(pod: ApiObject): boolean {
  return hasEnded(pod) || pod.status?.phase === 'Pending';
}

function namesVersion({ preconditions }: EvictionOptions): boolean {
  return (preconditions?.resourceVersion ?? '') !== '';
}

/** Adds to the options that the pod must have exactly this version, unless the client names a version itself. */
function ofVersion(options: EvictionOptions, pod: ApiObject): EvictionOptions {
  if (namesVersion(options)) return options;
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: pod.metadata.resourceVersion as string } };
}

/** A pod that costs the budget nothing as long as it is not ready: one that has become ready meanwhile must be judged again. */
async function deleteUnhealthy(request: ResourceRequest, pod: ApiObject, budget: ApiObject, options: EvictionOptions): Promise<void> {
  try {
    await markAndDelete(request, {
      ...options,
      preconditions: { ...options.preconditions, resourceVersion: pod.metadata.resourceVersion as string },
    });
  } catch (error) {
    throw isConflict(error) && options.preconditions?.resourceVersion === undefined ? stillProcessed(budget) : error;
  }
}

/** Writes into the pod's status why it goes, then deletes it. @throws StatusError NotFound, Conflict */
async function markAndDelete(request: ResourceRequest, options: EvictionOptions): Promise<void> {
  const { server, store, info, resource } = request;
  const context = server.ruleContext(options.dryRun, request.client);
  let deletion = options;
  if (!options.dryRun && server.featureEnabled('PodDisruptionConditions')) {
    const mark = (old: ApiObject): ApiObject => {
      preconditionConflict(resource, store.hub, old, options);
      return marked(old, timestamp(context.now()));
    };
    const { object } = await store.update(info.namespace, info.name, mark, {
      target: 'prepared',
      context,
      admit: async () => {},
      retry: true,
    });
    if (namesVersion(options))
      deletion = { ...options, preconditions: { ...options.preconditions, resourceVersion: object.metadata.resourceVersion as string } };
  }
  await store.deletions.delete(info.namespace, info.name, deletion, context, async () => {});
}

const DISRUPTION_TARGET = 'DisruptionTarget';

/** @returns a copy of the pod whose conditions say that it is evicted */
function marked(old: ApiObject, now: string): ApiObject {
  const pod = copyValue(old);
  const conditions: ApiObject[] = pod.status?.conditions ?? [];
  const present = conditions.findIndex(({ type }) => type === DISRUPTION_TARGET);
  const since = conditions[present]?.status === 'True' ? conditions[present]?.lastTransitionTime : now;
  const condition = {
    type: DISRUPTION_TARGET,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: since,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const kept = conditions.map((other, index) => (index === present ? condition : other));
  pod.status = { ...pod.status, conditions: present === -1 ? [...conditions, condition] : kept };
  return pod;
}
