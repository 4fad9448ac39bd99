/** Parses JSON web tokens (RFC 7519). Nothing here verifies them. */
import { parseNativeJson } from '../schema/json/native-json.ts';

/** A payload as JSON. */
export type Payload = Readonly<Record<string, unknown>>;

/** The registered claims that the server reads. Times are seconds since 1970. */
export interface StandardClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud: readonly string[];
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
}

/** @returns undefined if a registered claim has a wrong type */
export function standardClaims(payload: Payload): StandardClaims | undefined {
  const { iss, sub, aud = [], exp, nbf, iat, jti } = payload;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!Array.isArray(audiences) || !audiences.every((audience) => typeof audience === 'string')) return undefined;
  if (![iss, sub, jti].every((claim) => claim === undefined || typeof claim === 'string')) return undefined;
  if (![exp, nbf, iat].every((claim) => claim === undefined || Number.isFinite(claim))) return undefined;
  return { iss, sub, aud: audiences, exp, nbf, iat, jti } as StandardClaims;
}

/** The only characters allowed in a token (RFC 7515). This is checked, because Buffer would skip white space and padding. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** The payload of a token in compact form, not verified. @returns undefined if the text is no such token */
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
