/** Checks whether the token of a secret is still valid: the secret and its account must exist, unless --service-account-lookup is off. */
import { timingSafeEqual } from 'node:crypto';
import type { ApiObject } from '../../contract/object.ts';
import type { User } from '../../contract/request-context.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import type { Payload, StandardClaims } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { serviceAccountGroups, serviceAccountUserName } from '../service-account-names.ts';
import { type LegacyClaims, legacyClaimNames } from './claims.ts';

/** Label of secrets whose tokens are refused. Without the label they are accepted again. */
const INVALID_SINCE = '${labelDomain}/legacy-token-invalid-since';

export interface LegacyOutcome {
  /** the account's user, or why the token is not valid */
  readonly user: User | Refusal;
  /** the secret with the token; absent if nothing is looked up, or if the token is refused for another reason than the label `INVALID_SINCE` */
  readonly secret?: ApiObject;
  /** warnings for the client */
  readonly warnings?: readonly string[];
}

/** Warning for clients that use the token of a secret made by a controller, worded as in 1.32. */
const GENERATED = [
  'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
];

/**
 * Finds the user of a token of a secret.
 * @param objects the stored objects; undefined if the secret and the account are not looked up, so that they need not exist
 * @returns a promise if one of the objects is so long that it is not read at once
 */
export function legacyTokenUser(
  token: string,
  { sub }: StandardClaims,
  payload: Payload,
  objects: ObjectLookup | undefined,
  text: (template: string) => string,
): LegacyOutcome | Promise<LegacyOutcome> {
  const claims = legacyClaims(payload, text);
  const absent = (sub ?? '') === '' ? 'sub' : NAMES.find(([claim]) => claims[claim] === '')?.[1];
  if (absent !== undefined) return { user: new Refusal(`${absent} claim is missing`) };
  const { namespace, account, uid } = claims;
  const name = serviceAccountUserName(namespace, account);
  if (sub !== name) return { user: new Refusal('sub claim is invalid') };
  const user: User = { name, uid, groups: serviceAccountGroups(namespace), extra: {} };
  if (objects === undefined) return { user };
  const secret = objects.parts('secrets', namespace, claims.secret, ['data']);
  const holder = objects.parts('serviceaccounts', namespace, account, ['secrets']);
  if (!(secret instanceof Promise) && !(holder instanceof Promise)) return lookedUp(token, user, claims, { secret, account: holder }, text);
  return Promise.all([secret, holder]).then(([one, other]) => lookedUp(token, user, claims, { secret: one, account: other }, text));
}

/** What 1.32 calls the claims that a token must have, in the order in which it looks for them. */
const NAMES: readonly (readonly [claim: keyof LegacyClaims, name: string])[] = [
  ['namespace', 'namespace'],
  ['secret', 'secretName'],
  ['account', 'serviceAccountName'],
  ['uid', 'serviceAccountUID'],
];

/** @returns the claims, empty where there is none */
function legacyClaims(payload: Payload, text: (template: string) => string): LegacyClaims {
  const names = legacyClaimNames(text);
  const claim = (name: string): string => (payload[name] as string | null | undefined) ?? '';
  return { namespace: claim(names.namespace), secret: claim(names.secret), account: claim(names.account), uid: claim(names.uid) };
}

/** The objects that the token's claims name; undefined if they do not exist. */
interface Found {
  readonly secret: ApiObject | undefined;
  readonly account: ApiObject | undefined;
}

function lookedUp(
  token: string,
  user: User,
  { namespace, secret: secretName, account: accountName, uid }: LegacyClaims,
  { secret, account }: Found,
  text: (template: string) => string,
): LegacyOutcome {
  const refused = (reason: string): LegacyOutcome => ({ user: new Refusal(reason) });
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return refused('Token has been invalidated');
  const stored = Buffer.from(secret.data?.token ?? '', 'base64');
  const sent = Buffer.from(token);
  if (stored.length !== sent.length || !timingSafeEqual(stored, sent)) return refused("Token does not match server's copy");
  if (account === undefined) return refused(`serviceaccounts ${JSON.stringify(accountName)} not found`);
  if (account.metadata.deletionTimestamp !== undefined) return refused(`ServiceAccount ${namespace}/${accountName} has been deleted`);
  if (account.metadata.uid !== uid) return refused(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`);
  const label = text(INVALID_SINCE);
  if ((secret.metadata.labels?.[label] ?? '') !== '') {
    const which = `the token in secret ${namespace}/${secretName} for service account ${namespace}/${accountName}`;
    const remedy = `remove the '${label}' label from the secret to temporarily allow use of this token`;
    const others = 'Use tokens from the TokenRequest API or manually created secret-based tokens';
    return { ...refused(`${which} has been marked invalid. ${others}, or ${remedy}`), secret };
  }
  const listed: readonly { name?: string }[] = account.secrets ?? [];
  return { user, secret, ...(listed.some(({ name }) => name === secretName) && { warnings: GENERATED }) };
}
