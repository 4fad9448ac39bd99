/** JSON web tokens (RFC 7519) as they come in: read, not yet believed. */
import { parseNativeJson } from '../schema/native-json.ts';

/** A payload as JSON. */
export type Payload = Readonly<Record<string, unknown>>;

/** The registered claims that are looked at. Times are seconds since 1970. */
export interface StandardClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud: readonly string[];
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
}

/** @returns undefined where a registered claim has another type than it must */
export function standardClaims(payload: Payload): StandardClaims | undefined {
  const { iss, sub, aud = [], exp, nbf, iat, jti } = payload;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!Array.isArray(audiences) || !audiences.every((audience) => typeof audience === 'string')) return undefined;
  if (![iss, sub, jti].every((claim) => claim === undefined || typeof claim === 'string')) return undefined;
  if (![exp, nbf, iat].every((claim) => claim === undefined || Number.isFinite(claim))) return undefined;
  return { iss, sub, aud: audiences, exp, nbf, iat, jti } as StandardClaims;
}

/** Nothing else may stand in a token (RFC 7515): Buffer would pass over white space and padding. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** The payload of a token in compact form, unchecked. @returns undefined for a text that is no such token */
export function payloadOf(token: string): Payload | undefined {
  if (!COMPACT.test(token)) return undefined;
  const parts = token.split('.');
  try {
    const payload: unknown = parseNativeJson(Buffer.from(parts[1] as string, 'base64url').toString('utf8'));
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? (payload as Payload) : undefined;
  } catch {
    return undefined;
  }
}
