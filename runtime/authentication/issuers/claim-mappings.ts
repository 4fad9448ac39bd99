/** From the claims of a token that is believed to the user that it names. */
import type { User } from '../../endpoints/api-server.ts';
import type { Payload } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import type { IssuerConfiguration, Mapping } from './issuer-configuration.ts';

/** @returns the user, or why the claims name none */
export async function mappedUser(claims: Payload, configuration: IssuerConfiguration): Promise<User | Refusal> {
  const { claimMappings, claimValidationRules = [], expressions } = configuration;
  if (expressions !== undefined) {
    const { userByExpressions } = await import('./expression-mappings.ts');
    return userByExpressions(claims, configuration, expressions);
  }
  const name = claimedName(claims, claimMappings.username);
  if (name instanceof Refusal) return name;
  const groups = claimedGroups(claims, claimMappings.groups);
  if (groups instanceof Refusal) return groups;
  const uid = claimMappings.uid?.claim ? textClaim(claims, claimMappings.uid.claim) : '';
  if (uid instanceof Refusal) return uid;
  return brokenClaim(claims, claimValidationRules) ?? { name, uid, groups, extra: {} };
}

type ClaimRules = NonNullable<IssuerConfiguration['claimValidationRules']>;

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

/** One group, or a list of them. */
export function claimedGroups(claims: Payload, mapping: Mapping | undefined): string[] | Refusal {
  const { claim = '', prefix = '' } = mapping ?? {};
  const value = claim !== '' && Object.hasOwn(claims, claim) ? (claims[claim] ?? []) : [];
  const groups: unknown[] = Array.isArray(value) ? value : [value];
  if (!groups.every((group) => typeof group === 'string')) return new Refusal(`oidc: claim ${JSON.stringify(claim)} holds no groups`);
  return groups.filter((group) => group !== '').map((group) => prefix + group);
}
