/** Checks whether a requested token is still valid, by its times and the objects that it is bound to. */
import type { User } from '../../contract/request-context.ts';
import type { ObjectIdentity, ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { CREDENTIAL_ID } from '../identities.ts';
import type { Payload, StandardClaims } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { serviceAccountGroups, serviceAccountUserName } from '../service-account-names.ts';
import { BOUND_CLAIM, type BoundClaims, credentialId, type Reference } from './claims.ts';

/** Seconds by which clocks may differ, and for which tokens of a deleted object still work. */
const LEEWAY = 60;

const NODE_NAME = 'authentication.${labelDomain}/node-name';
const NODE_UID = 'authentication.${labelDomain}/node-uid';
const POD_NAME = 'authentication.${labelDomain}/pod-name';
const POD_UID = 'authentication.${labelDomain}/pod-uid';

/** @param now milliseconds since 1970. @returns the account's user, or why the token is not valid */
export function boundTokenUser(
  standard: StandardClaims,
  payload: Payload,
  objects: ObjectLookup,
  text: (template: string) => string,
  now: number,
): User | Refusal {
  const refused = outOfTime(standard, now / 1000);
  if (refused !== undefined) return refused;
  const bound = boundClaims(payload[text(BOUND_CLAIM)]);
  const { namespace, serviceaccount, pod, secret, node } = bound;
  const account = accountOf(bound, objects);
  if (account instanceof Refusal) return account;
  if (isDeleted(account, now)) return new Refusal(`service account ${namespace}/${serviceaccount.name} has been deleted`);
  if (account.uid !== serviceaccount.uid)
    return new Refusal(`service account UID (${account.uid}) does not match claim (${serviceaccount.uid})`);
  const gone =
    unlessThere(secret, 'secret', () => objects.identity('secrets', namespace, secret?.name ?? ''), now) ??
    unlessThere(pod, 'pod', () => objects.identity('pods', namespace, pod?.name ?? ''), now) ??
    unlessThere(pod === undefined ? node : undefined, 'node', () => objects.identity('nodes', '', node?.name ?? ''), now);
  return gone ?? userOf(bound, standard.jti, text);
}

function outOfTime({ exp, nbf, iat }: StandardClaims, now: number): Refusal | undefined {
  if (nbf !== undefined && now + LEEWAY < nbf) return new Refusal('service account token is not valid yet');
  if (exp !== undefined && now - LEEWAY > exp) return new Refusal('service account token has expired');
  if (iat !== undefined && now + LEEWAY < iat) return new Refusal('service account token is issued in the future');
  return undefined;
}

function isDeleted({ deletionTimestamp }: ObjectIdentity, now: number): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now - LEEWAY * 1000;
}

/** @returns a refusal unless the object that the token is bound to still exists, with the same uid */
function unlessThere(claim: Reference | undefined, what: string, read: () => ObjectIdentity | undefined, now: number): Refusal | undefined {
  if (claim === undefined) return undefined;
  const object = read();
  if (object === undefined || isDeleted(object, now)) return new Refusal('service account token has been invalidated');
  if (object.uid === claim.uid) return undefined;
  return new Refusal(`${what} UID (${object.uid}) does not match service account ${what} ref claim (${claim.uid})`);
}

/** @param claim of a type that can be read: what it lacks counts as empty */
function boundClaims(claim: unknown): BoundClaims {
  const { namespace, serviceaccount, pod, secret, node } = (claim ?? {}) as Partial<BoundClaims>;
  return {
    namespace: namespace ?? '',
    serviceaccount: referred(serviceaccount ?? {}),
    ...(pod && { pod: referred(pod) }),
    ...(secret && { secret: referred(secret) }),
    ...(node && { node: referred(node) }),
  };
}

function referred({ name, uid }: Partial<Reference>): Required<Reference> {
  return { name: name ?? '', uid: uid ?? '' };
}

/** The account that claims name, or why there is none: a token without names is refused in the words of 1.32, which asks for the account by a request. */
function accountOf({ namespace, serviceaccount: { name } }: BoundClaims, objects: ObjectLookup): ObjectIdentity | Refusal {
  if (name === '') return new Refusal('resource name may not be empty');
  if (namespace === '') return new Refusal(`the server could not find the requested resource (get serviceaccounts ${name})`);
  return objects.identity('serviceaccounts', namespace, name) ?? new Refusal(`serviceaccounts ${JSON.stringify(name)} not found`);
}

function userOf({ namespace, serviceaccount, pod, node }: BoundClaims, jti: string | undefined, text: (template: string) => string): User {
  const extra: Record<string, readonly string[]> = {};
  const add = (key: string, value: string | undefined) => {
    if (value !== undefined && value !== '') extra[text(key)] = [value];
  };
  add(CREDENTIAL_ID, jti && credentialId(jti));
  add(NODE_NAME, node?.name);
  add(NODE_UID, node?.uid);
  add(POD_NAME, pod?.name);
  add(POD_UID, pod?.uid);
  return {
    name: serviceAccountUserName(namespace, serviceaccount.name),
    uid: serviceaccount.uid ?? '',
    groups: serviceAccountGroups(namespace),
    extra,
  };
}
