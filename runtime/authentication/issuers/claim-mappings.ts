/** Maps the claims of a verified token to the user that it names. */
import type { User } from '../../contract/request-context.ts';
import type { Payload } from '../json-web-token.ts';
import { Refusal } from '../outcome.ts';
import { brokenClaim, claimedCredential, claimedGroups, claimedName, textClaim } from './claim-values.ts';
import type { IssuerConfiguration } from './issuer-configuration.ts';

/**
 * @param credentialKey the key of `extra` under which the token is named, see `claimedCredential`
 * @returns the user; or a refusal if the claims name none, or do not meet the rules of the configuration
 */
export async function mappedUser(claims: Payload, configuration: IssuerConfiguration, credentialKey: string): Promise<User | Refusal> {
  const { claimMappings, claimValidationRules = [], expressions } = configuration;
  if (expressions !== undefined) {
    const { userByExpressions } = await import('./expression-mappings.ts');
    return userByExpressions(claims, configuration, expressions, claimedCredential(claims, credentialKey));
  }
  const name = claimedName(claims, claimMappings.username);
  if (name instanceof Refusal) return name;
  const groups = claimedGroups(claims, claimMappings.groups);
  if (groups instanceof Refusal) return groups;
  const uid = claimMappings.uid?.claim ? textClaim(claims, claimMappings.uid.claim) : '';
  if (uid instanceof Refusal) return uid;
  return brokenClaim(claims, claimValidationRules) ?? { name, uid, groups, extra: claimedCredential(claims, credentialKey) };
}
