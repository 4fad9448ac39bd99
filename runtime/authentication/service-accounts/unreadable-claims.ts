/** Finds claims of a signed token that have another type than theirs, and tells of them in the words of 1.32. */
import type { Payload } from '../json-web-token.ts';
import { BOUND_CLAIM, legacyClaimNames } from './claims.ts';

const TEXT_CLAIMS = ['iss', 'sub', 'jti'];
const TIME_CLAIMS = ['exp', 'nbf', 'iat'];
const NO_TIME = 'square/go-jose/jwt: expected number value to unmarshal NumericDate';
const NO_AUDIENCE = 'square/go-jose/jwt: expected string or array value to unmarshal to Audience';

/** @param isLegacy whether the token is one of a secret. @returns why the claims cannot be read; undefined if they can */
export function unreadableClaims(payload: Payload, isLegacy: boolean, text: (template: string) => string): string | undefined {
  const texts = isLegacy ? [...TEXT_CLAIMS, ...Object.values(legacyClaimNames(text))] : TEXT_CLAIMS;
  return (
    first(texts, (name) => wrongText(payload[name])) ??
    (payload.aud === undefined || isAudience(payload.aud) ? undefined : NO_AUDIENCE) ??
    first(TIME_CLAIMS, (name) => wrongTime(payload[name])) ??
    (isLegacy ? undefined : wrongBound(payload[text(BOUND_CLAIM)]))
  );
}

function first(names: readonly string[], problemOf: (name: string) => string | undefined): string | undefined {
  for (const name of names) {
    const problem = problemOf(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function wrongBound(claim: unknown): string | undefined {
  if (claim === undefined || claim === null) return undefined;
  if (!isObject(claim)) return unread(claim, 'serviceaccount.kubernetes');
  return (
    wrongText(claim.namespace) ??
    first(['serviceaccount', 'pod', 'secret', 'node'], (name) => wrongReference(claim[name])) ??
    wrongTime(claim.warnafter)
  );
}

function wrongReference(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return isObject(value) ? (wrongText(value.name) ?? wrongText(value.uid)) : unread(value, 'serviceaccount.ref');
}

function wrongText(value: unknown): string | undefined {
  return value === undefined || value === null || typeof value === 'string' ? undefined : unread(value, 'string');
}

function wrongTime(value: unknown): string | undefined {
  return value === undefined || value === null || Number.isFinite(value) ? undefined : NO_TIME;
}

function isAudience(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unread(value: unknown, type: string): string {
  const what = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${what} into Go value of type ${type}`;
}
