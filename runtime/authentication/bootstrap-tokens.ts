/** Tokens by which new nodes join. They are in secrets of the system namespace (specification: bootstrap tokens). */
import { timingSafeEqual } from 'node:crypto';
import type { ApiObject } from '../contract/object.ts';
import type { User } from '../contract/request-context.ts';
import type { ObjectLookup } from '../registry/stored-objects/object-lookup.ts';
import { ScalarError } from '../schema/scalar/scalar-error.ts';
import { parseInstant } from '../schema/scalar/time.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const TOKEN_ID = /^[a-z0-9]{6}$/;
const GROUP = 'system:bootstrappers';
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export const BOOTSTRAP_SECRET_TYPE = 'bootstrap.${labelDomain}/token';
export const BOOTSTRAP_SECRET_PREFIX = 'bootstrap-token-';

export class BootstrapTokens {
  readonly #objects: ObjectLookup;
  readonly #text: (template: string) => string;

  constructor(objects: ObjectLookup, text: (template: string) => string) {
    this.#objects = objects;
    this.#text = text;
  }

  /** @returns undefined unless this is a bootstrap token that is valid now for authentication; a promise if its secret is long */
  find(token: string): User | undefined | Promise<User | undefined> {
    const [, id, secret] = TOKEN.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const stored = this.#objects.parts('secrets', this.#text('${systemNamespace}'), BOOTSTRAP_SECRET_PREFIX + id, ['type', 'data']);
    return stored instanceof Promise ? stored.then((read) => this.#userOf(read, id, secret)) : this.#userOf(stored, id, secret);
  }

  #userOf(stored: ApiObject | undefined, id: string, secret: string): User | undefined {
    if (stored === undefined || stored.metadata.deletionTimestamp !== undefined) return undefined;
    if (stored.type !== this.#text(BOOTSTRAP_SECRET_TYPE)) return undefined;
    if (!isSame(secretText(stored, 'token-secret'), secret) || secretText(stored, 'token-id') !== id) return undefined;
    if (hasExpired(stored, Date.now()) || secretText(stored, 'usage-bootstrap-authentication') !== 'true') return undefined;
    const groups = extraGroups(stored);
    return groups && { name: `system:bootstrap:${id}`, uid: '', groups: [GROUP, ...groups], extra: {} };
  }
}

export const isTokenId = (text: string): boolean => TOKEN_ID.test(text);

/** @returns '' if the secret does not have the key */
export function secretText(secret: ApiObject, key: string): string {
  const value: unknown = secret.data?.[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
}

function isSame(stored: string, sent: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(sent)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** @param now milliseconds since 1970 */
export function hasExpired(secret: ApiObject, now: number): boolean {
  return endOf(secret) <= now;
}

/** When the token expires, in milliseconds since 1970; Infinity: never. An expiration that is no RFC 3339 time counts as past. */
export function endOf(secret: ApiObject): number {
  const end = secretText(secret, 'expiration');
  if (end === '') return Number.POSITIVE_INFINITY;
  try {
    const { seconds, nanos } = parseInstant(end);
    return seconds * 1_000 + nanos / 1_000_000;
  } catch (error) {
    if (error instanceof ScalarError) return Number.NEGATIVE_INFINITY;
    throw error;
  }
}

/** The groups of the token, sorted, without repetitions. @returns undefined if one of them is not allowed */
function extraGroups(secret: ApiObject): string[] | undefined {
  const sent = secretText(secret, 'auth-extra-groups');
  if (sent === '') return [];
  const groups = sent.split(',');
  return groups.every((group) => EXTRA_GROUP.test(group)) ? [...new Set(groups)].sort() : undefined;
}
