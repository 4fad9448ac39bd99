/** What single claims of a token say of its user. */
import type { User } from '../../contract/request-context.ts';
import type { Payload } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { credentialId } from '../service-accounts/claims.ts';
import type { Mapping, StatedIssuer } from './stated-issuer.ts';

type ClaimRules = NonNullable<StatedIssuer['claimValidationRules']>;

/** @returns the refusal of the first required claim that is missing or has another value */
export function brokenClaim(claims: Payload, rules: ClaimRules): Refusal | undefined {
  for (const { claim, requiredValue = '' } of rules) {
    if (!claim) continue;
    const value = textClaim(claims, claim);
    if (value instanceof Refusal) return value;
    if (value !== requiredValue) return new Refusal(`oidc: required claim ${claim} value does not match`);
  }
  return undefined;
}

export function textClaim(claims: Payload, claim: string): string | Refusal {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string') return value;
  return new Refusal(`oidc: claim ${JSON.stringify(claim)} ${value === undefined ? 'is not present' : 'is no text'}`);
}

export function claimedName(claims: Payload, { claim = '', prefix = '' }: Mapping): string | Refusal {
  const name = textClaim(claims, claim);
  if (name instanceof Refusal) return name;
  if (name === '') return new Refusal(`oidc: claim ${JSON.stringify(claim)} is empty`);
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims.email_verified !== true)
    return new Refusal('oidc: email not verified');
  return prefix + name;
}

/** @param key of a user's `extra`, which tells audit the name of the token. A token need not have one. */
export function claimedCredential({ jti }: Payload, key: string): User['extra'] {
  return typeof jti === 'string' && jti !== '' ? { [key]: [credentialId(jti)] } : {};
}

/** One group, or a list of them. */
export function claimedGroups(claims: Payload, mapping: Mapping | undefined): string[] | Refusal {
  const { claim = '', prefix = '' } = mapping ?? {};
  const value = claim !== '' && Object.hasOwn(claims, claim) ? (claims[claim] ?? []) : [];
  const groups: unknown[] = Array.isArray(value) ? value : [value];
  if (!groups.every((group) => typeof group === 'string')) return new Refusal(`oidc: claim ${JSON.stringify(claim)} holds no groups`);
  return groups.filter((group) => group !== '').map((group) => prefix + group);
}
