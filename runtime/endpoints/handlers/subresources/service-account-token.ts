/** Handles POST of a TokenRequest to an account's subresource `token`, which issues a token for the account. */
import { randomUUID } from 'node:crypto';
import { credentialId, referenceTo } from '../../../authentication/service-accounts/claims.ts';
import type { BoundObjects } from '../../../authentication/service-accounts/token-issuer.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import type { ApiObject } from '../../../contract/object.ts';
import { timestamp } from '../../../registry/resource-store/strategy.ts';
import { numeric, type RawNumber } from '../../../schema/scalar/raw-number.ts';
import { newBadRequest, newConflict, newInvalid, newUnknown, StatusError } from '../../../status/status.ts';
import { transformObject } from '../../answers/respond.ts';
import { addWarnings } from '../../request/warnings.ts';
import { type ResourceRequest, sendShown } from '../../resource-request.ts';
import { WriteAdmission } from '../verbs/admit.ts';
import { beginNew, readWrite, tracedWrite, type Write } from '../verbs/write.ts';

/** Tells the audit which token was issued: whoever uses it has the same credential. */
const ISSUED = 'authentication.${labelDomain}/issued-credential-id';

/** The seconds for which a token is valid if the request does not say it. */
const DEFAULT_LIFETIME = 3600;
/** The fewest seconds that a request may ask for. */
const SHORTEST = 600;
/** The most seconds that a request may ask for. */
const LONGEST = 2 ** 32;
/** The seconds that requests for volumes of pods ask for. Their tokens are valid for longer if that is allowed. */
const MOUNTED_LIFETIME = 3607;

/** Tokens may be bound to nodes while this gate is on. */
const NODE_GATE = 'ServiceAccountTokenNodeBinding';

export async function requestToken(request: ResourceRequest): Promise<void> {
  const { server, kind, info, negotiated } = request;
  const write = await readWrite(request, 'create');
  beginNew(request, write.object);
  const answer = await tracedWrite(request, () => answered(request, write));
  return sendShown(request, transformObject(server, kind, answer, answer, negotiated, info.query), server.identity.createStatus);
}

/** @returns the request with its answer. @throws StatusError */
async function answered(request: ResourceRequest, { options, object }: Write): Promise<ApiObject> {
  const { server, kind, info, store } = request;
  const admission = new WriteAdmission(request, 'create', options);
  await admission.mutate(object, undefined);
  requireAccountName(request, object);
  const { object: account } = store.get(info.namespace, info.name);
  const now = request.client.chosen('time', Date.now);
  object.metadata = { ...object.metadata, name: info.name, namespace: info.namespace, creationTimestamp: timestamp(now) };
  object.spec.expirationSeconds ??= DEFAULT_LIFETIME;
  if ((object.spec.audiences ?? []).length === 0) object.spec.audiences = server.apiAudiences;
  const errors = lifetimeErrors(object.spec.expirationSeconds);
  if (errors.length > 0) throw newInvalid(kind, '', errors);
  await admission.validate(object, undefined);
  return issue(request, object, account, now);
}

/** @throws StatusError Invalid when the object names another account than the path */
function requireAccountName({ info, kind }: ResourceRequest, { metadata }: ApiObject): void {
  const sent = metadata.name ?? '';
  if (sent === '' || sent === info.name) return;
  throw newInvalid(kind, info.name, [invalid('metadata.name', sent, 'must match the service account name if specified')]);
}

function lifetimeErrors(seconds: number | RawNumber): FieldError[] {
  const path = 'spec.expirationSeconds';
  if (numeric(seconds) < SHORTEST) return [invalid(path, seconds, 'may not specify a duration less than 10 minutes')];
  if (numeric(seconds) > LONGEST) return [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

/** @returns the request with its answer. @throws StatusError for an object that the token cannot be bound to */
async function issue(request: ResourceRequest, object: ApiObject, account: ApiObject, now: number): Promise<ApiObject> {
  const { serviceAccounts, apiAudiences } = request.server;
  const { spec } = object;
  const bound = spec.boundObjectRef ? await boundObjects(request, spec.boundObjectRef) : {};
  const { longest, mounted } = await orRefused(serviceAccounts.lifetimes(request.client));
  if (longest > 0 && spec.expirationSeconds > longest) {
    addWarnings(request.context, [`requested expiration of ${spec.expirationSeconds} seconds shortened to ${longest} seconds`]);
    spec.expirationSeconds = longest;
  }
  const lifetime: number = spec.expirationSeconds;
  const audiences: readonly string[] = spec.audiences;
  const isExtended =
    bound.pod !== undefined && lifetime === MOUNTED_LIFETIME && audiences.every((audience) => apiAudiences.includes(audience));
  const id = request.client.chosen('token', randomUUID);
  const lives = isExtended && mounted !== undefined ? { lifetime: mounted, warnAfter: lifetime } : { lifetime };
  const token = await orRefused(serviceAccounts.issue({ id, account, audiences, now, ...bound, ...lives }, request.client));
  request.client.annotate(request.server.identity.text(ISSUED), credentialId(id));
  return { ...object, status: { token, expirationTimestamp: timestamp(now + lifetime * 1000) } };
}

/** @throws StatusError with what a signer says, as in 1.32 */
async function orRefused<T>(asked: T | Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof StatusError || !(error instanceof Error)) throw error;
    throw newUnknown(`failed to generate token: ${error.message}`);
  }
}

interface ObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** @throws StatusError NotFound, BadRequest for a kind, a name or a pod that does not fit, or a node while its gate is off, Conflict for another uid than the present one */
async function boundObjects(request: ResourceRequest, reference: ObjectReference): Promise<BoundObjects> {
  const { kind = '', apiVersion = '', name = '', uid = '' } = reference;
  const { group, version } = groupVersionOf(apiVersion);
  const resource = group === '' ? BINDABLE.get(kind) : undefined;
  if (resource === undefined) throw newBadRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (kind === 'Node' && !request.server.featureEnabled(NODE_GATE))
    throw newBadRequest(`cannot bind token to a Node object as the "${NODE_GATE}" feature-gate is disabled`);
  const store = await objectStore(request, resource);
  const { object } = store.get(resource === 'nodes' ? '' : request.info.namespace, name);
  if (kind === 'Pod') requireAccountOf(object, request.info.name);
  if (uid !== '' && uid !== object.metadata.uid)
    throw newConflict(
      { group, resource: kind },
      name,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (kind === 'Secret') return { secret: object };
  return kind === 'Node' ? { node: referenceTo(object) } : withNode(request, object);
}

/** A text with more than one slash names neither a group nor a version, as in 1.32. */
function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const parts = apiVersion.split('/');
  if (parts.length > 2) return { group: '', version: '' };
  return { group: parts.length === 2 ? (parts[0] as string) : '', version: parts.at(-1) as string };
}

/** @throws StatusError BadRequest for a pod of another account */
function requireAccountOf({ spec }: ApiObject, account: string): void {
  if (spec.serviceAccountName === account) return;
  throw newBadRequest(`cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`);
}

/** A pod and the node that it is on; of a node that is not there, the name alone. */
async function withNode(request: ResourceRequest, pod: ApiObject): Promise<BoundObjects> {
  const name: string = pod.spec.nodeName ?? '';
  if (name === '') return { pod };
  const nodes = await objectStore(request, 'nodes');
  const entry = nodes.entry('', name);
  return { pod, node: entry === undefined ? { name } : referenceTo(nodes.decodeEntry(entry)) };
}

/** The resources of objects that tokens may be bound to, by their kinds. */
const BINDABLE: ReadonlyMap<string, string> = new Map([
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
  ['Node', 'nodes'],
]);

async function objectStore({ server, registry }: ResourceRequest, name: string) {
  const resource = registry.resource('', 'v1', name);
  if (resource === undefined) throw new Error(`${name} are not served`);
  return server.store(resource);
}
