/** Reads parts of a user from single claims of a token. */
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

/** Reads a claim that must be a text. Null counts as an empty one, as in 1.32. @returns a refusal if the claim is absent or is something else */
export function textClaim(claims: Payload, claim: string): string | Refusal {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value === 'string' || value === null) return value ?? '';
  return new Refusal(`oidc: claim ${JSON.stringify(claim)} ${value === undefined ? 'is not present' : 'is no text'}`);
}

/**
 * Reads the user's name, with the prefix of the configuration. A name from the claim `email` is refused unless `email_verified`, if present, is true. The claim
 * may be empty, as in 1.32; an issuer that makes such tokens is kept out by a rule of its configuration.
 */
export function claimedName(claims: Payload, { claim = '', prefix = '' }: Mapping): string | Refusal {
  const name = textClaim(claims, claim);
  if (name instanceof Refusal) return name;
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims.email_verified !== true)
    return new Refusal('oidc: email not verified');
  return prefix + name;
}

/**
 * Reads the identifier of a token (`jti`), which it need not have.
 * @param key the key of a user's `extra` that tells audit which token was used
 */
export function claimedCredential({ jti }: Payload, key: string): User['extra'] {
  return typeof jti === 'string' && jti !== '' ? { [key]: [credentialId(jti)] } : {};
}

/**
 * Reads the user's groups from a claim that is one text or a list of texts, and puts the prefix before each. An absent claim, or none in the mapping, gives no
 * groups.
 */
export function claimedGroups(claims: Payload, mapping: Mapping | undefined): string[] | Refusal {
  const { claim = '', prefix = '' } = mapping ?? {};
  const value = claim !== '' && Object.hasOwn(claims, claim) ? (claims[claim] ?? []) : [];
  const groups: unknown[] = Array.isArray(value) ? value.map((group) => group ?? '') : [value];
  if (!groups.every((group) => typeof group === 'string')) return new Refusal(`oidc: claim ${JSON.stringify(claim)} holds no groups`);
  return groups.map((group) => prefix + group);
}
