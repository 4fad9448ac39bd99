/**
 * Reads the registered claims by which a token of an issuer is judged, as leniently as 1.32: times may be texts of numbers, and a claim that is not judged, such
 * as `jti`, may be anything.
 */
import type { Payload } from '../json-web-token.ts';

export interface JudgedClaims {
  readonly aud: readonly string[];
  /** seconds since 1970; 0 for a token that does not say when it expires */
  readonly exp: number;
  readonly nbf?: number | undefined;
}

/** @returns undefined if a claim has a wrong type */
export function judgedClaims({ aud, exp = 0, nbf, iat = 0, ...others }: Payload): JudgedClaims | undefined {
  const audiences = typeof aud === 'string' ? [aud] : (aud ?? []);
  if (!Array.isArray(audiences) || !audiences.every((audience) => typeof audience === 'string')) return undefined;
  if (!['sub', 'nonce', 'at_hash'].every((name) => isTextOrNothing(others[name]))) return undefined;
  const [end, begin] = [secondsOf(exp), nbf === undefined || nbf === null ? 0 : secondsOf(nbf)];
  if (end === undefined || begin === undefined || secondsOf(iat) === undefined) return undefined;
  return { aud: audiences, exp: end, ...(begin > 0 && { nbf: begin }) };
}

const isTextOrNothing = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string';

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function secondsOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && NUMBER.test(value))) return undefined;
  const seconds = Number(value);
  return Number.isFinite(seconds) ? seconds : undefined;
}
