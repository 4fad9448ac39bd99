/** Whether the token of a secret still stands: the secret and its account must be there, unless --service-account-lookup is off. */
import { timingSafeEqual } from 'node:crypto';
import type { User } from '../../endpoints/api-server.ts';
import type { StoredObjects } from '../../registry/stored-objects.ts';
import type { Payload, StandardClaims } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { type LegacyClaims, legacyClaimNames } from './claims.ts';
import { serviceAccountGroups, serviceAccountUserName } from './names.ts';

/** Label of secrets whose tokens an administrator has shut out. */
const INVALID_SINCE = '${labelDomain}/legacy-token-invalid-since';

/** @param objects undefined: they are not looked up. @returns the account's user, or why the token is not good */
export function legacyTokenUser(
  token: string,
  { sub }: StandardClaims,
  payload: Payload,
  objects: StoredObjects | undefined,
  text: (template: string) => string,
): User | Refusal {
  const claims = legacyClaims(payload, text);
  if (claims === undefined) return new Refusal('the service account token lacks a claim');
  const { namespace, account, uid } = claims;
  const name = serviceAccountUserName(namespace, account);
  if (sub !== name) return new Refusal('sub claim is invalid');
  const revoked = objects && revokedBy(token, claims, objects, text);
  return revoked ?? { name, uid, groups: serviceAccountGroups(namespace), extra: {} };
}

function legacyClaims(payload: Payload, text: (template: string) => string): LegacyClaims | undefined {
  const names = legacyClaimNames(text);
  const [namespace, secret, account, uid] = [names.namespace, names.secret, names.account, names.uid].map((name) => payload[name]);
  for (const claim of [namespace, secret, account, uid]) if (typeof claim !== 'string' || claim === '') return undefined;
  return { namespace, secret, account, uid } as LegacyClaims;
}

function revokedBy(
  token: string,
  { namespace, secret: secretName, account: accountName, uid }: LegacyClaims,
  objects: StoredObjects,
  text: (template: string) => string,
): Refusal | undefined {
  const secret = objects.get('secrets', namespace, secretName);
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return new Refusal('Token has been invalidated');
  const stored = Buffer.from(secret.data?.token ?? '', 'base64');
  const sent = Buffer.from(token);
  if (stored.length !== sent.length || !timingSafeEqual(stored, sent)) return new Refusal("Token does not match server's copy");
  const account = objects.get('serviceaccounts', namespace, accountName);
  if (account === undefined) return new Refusal(`serviceaccounts ${JSON.stringify(accountName)} not found`);
  if (account.metadata.deletionTimestamp !== undefined) return new Refusal('ServiceAccount has been deleted');
  if (account.metadata.uid !== uid) return new Refusal(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`);
  if ((secret.metadata.labels?.[text(INVALID_SINCE)] ?? '') === '') return undefined;
  return new Refusal(`the token in secret ${namespace}/${secretName} has been marked invalid`);
}
