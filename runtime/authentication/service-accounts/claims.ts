/** What service accounts' tokens state. Times are seconds since 1970. */
import type { ApiObject } from '../../contract/object.ts';

export interface Reference {
  readonly name: string;
  /** absent for a pod's node that is not there (yet) */
  readonly uid?: string;
}

/** Of a token that was requested; `bound` stands under a claim that is named after the dialect. */
export interface BoundClaims {
  readonly namespace: string;
  readonly serviceaccount: Reference;
  readonly pod?: Reference;
  readonly secret?: Reference;
  /** the node of the pod, or the node that the token itself is bound to */
  readonly node?: Reference;
  /** beyond this time the token is used longer than it should be */
  readonly warnafter?: number;
}

/** Of a token that a secret holds for as long as it is there. */
export interface LegacyClaims {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  readonly uid: string;
}

/** The registered claims that are looked at (RFC 7519). */
export interface StandardClaims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud: readonly string[];
  readonly exp?: number;
  readonly nbf?: number;
  readonly iat?: number;
  readonly jti?: string;
}

export const BOUND_CLAIM = '${labelDomain}';
const LEGACY_CLAIM = '${labelDomain}/serviceaccount';

export function legacyClaimNames(text: (template: string) => string): Readonly<Record<keyof LegacyClaims, string>> {
  const prefix = text(LEGACY_CLAIM);
  return {
    namespace: `${prefix}/namespace`,
    secret: `${prefix}/secret.name`,
    account: `${prefix}/service-account.name`,
    uid: `${prefix}/service-account.uid`,
  };
}

/** Name of the issuer of tokens in secrets. */
export const LEGACY_ISSUER = '${mediaProduct}/serviceaccount';

export function referenceTo({ metadata: { name = '', uid = '' } }: ApiObject): Reference {
  return { name, uid };
}

/** A payload as JSON. */
export type Payload = Readonly<Record<string, unknown>>;

/** @returns undefined where a registered claim has another type than it must */
export function standardClaims(payload: Payload): StandardClaims | undefined {
  const { iss, sub, aud = [], exp, nbf, iat, jti } = payload;
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!Array.isArray(audiences) || !audiences.every((audience) => typeof audience === 'string')) return undefined;
  if (![iss, sub, jti].every((claim) => claim === undefined || typeof claim === 'string')) return undefined;
  if (![exp, nbf, iat].every((claim) => claim === undefined || Number.isFinite(claim))) return undefined;
  return { iss, sub, aud: audiences, exp, nbf, iat, jti } as StandardClaims;
}

/** The payload of a token in compact form, unchecked. @returns undefined for a text that is no such token */
export function payloadOf(token: string): Payload | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  try {
    const payload: unknown = JSON.parse(Buffer.from(parts[1] as string, 'base64url').toString('utf8'));
    return typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? (payload as Payload) : undefined;
  } catch {
    return undefined;
  }
}
