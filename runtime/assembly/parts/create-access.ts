import { defaultPolicyGates, defaultPolicyHash } from '../../../generated/default-policy-hash.ts';
import type { Authenticator } from '../../authentication/authenticator.ts';
import { type AuthenticationParts, createAuthenticator } from '../../authentication/configuration/create-authenticator.ts';
import type { TokenKeys } from '../../authentication/service-accounts/keys.ts';
import { OwnTokenSigner, type TokenSigner } from '../../authentication/service-accounts/token-signer.ts';
import { type Authorization, createAuthorization } from '../../authorization/configuration/create-authorization.ts';
import type { PolicySource } from '../../authorization/rbac/default-policy.ts';
import { SUPERUSER_GROUP } from '../../authorization/superuser.ts';
import type { DefaultPolicy } from '../../contract/default-policy.ts';
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import type { StoreFollower } from '../../registry/stored-objects/store-follower.ts';
import { administratorName } from '../../server/listener/serving-certificates.ts';
import type { Endings } from '../setup/endings.ts';
import type { Flags } from '../setup/flags.ts';
import type { ServerCredentials } from '../setup/server-credentials.ts';
import type { Setup } from '../setup/setup.ts';
import type { ExternalSigner, SignerParts } from '../token-signer/external-signer.ts';
import type { CommonParts } from './server-parts.ts';

/** Authentication and authorization of one server. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly authorization: Authorization;
  readonly tokenSigner: TokenSigner;
  /** names of this API; a token must be issued for one of them */
  readonly audiences: readonly string[];
}

export interface AccessParts
  extends CommonParts,
    Pick<AuthenticationParts, 'objects' | 'labelSecret'>,
    Pick<ServerCredentials, 'certificates' | 'tokenKeys'>,
    Pick<Setup, 'administratorToken' | 'startProgress'> {
  readonly follower: StoreFollower;
  /** whether an external signer of tokens is asked for its keys at the start; a thread that only helps others asks it on demand */
  readonly asksSigner: boolean;
}

/**
 * @param endings gets a function for each part that must be closed
 * @throws Error that names the flag or the file that is wrong
 */
export async function createAccess(parts: AccessParts, endings: Endings): Promise<Access> {
  const { flags, identity, administratorToken, certificates } = parts;
  const audiences = audiencesOf(flags);
  const tokenSigner = await tokenSignerOf(parts.tokenKeys, parts);
  endings.add(() => tokenSigner.close?.());
  const knownToken = administratorToken === undefined ? undefined : { token: administratorToken, user: administrator(identity) };
  const authenticator = await createAuthenticator({ ...parts, ...certificates, tokenSigner, audiences, ...(knownToken && { knownToken }) });
  endings.add(() => authenticator.close());
  if (tokenSigner.open !== undefined && parts.asksSigner) {
    parts.startProgress?.('asks the signer of tokens for its keys');
    await tokenSigner.open();
  }
  const authorization = await createAuthorization({ ...parts, loadPolicy: loadDefaultPolicy });
  endings.add(() => authorization.close());
  return { authenticator, authorization, tokenSigner, audiences };
}

/**
 * The methods that only a signer in another program has: `open` asks it for its keys before they are needed, `close` closes the connection.
 */
type OpenedSigner = Pick<ExternalSigner, 'open' | 'close'>;

/** @param keys undefined: another program has the keys and signs; its client is loaded only then */
async function tokenSignerOf(keys: TokenKeys | undefined, parts: SignerParts): Promise<TokenSigner & Partial<OpenedSigner>> {
  if (keys !== undefined) return new OwnTokenSigner(keys);
  const { ExternalSigner } = await import('../token-signer/external-signer.ts');
  return new ExternalSigner(parts);
}

/**
 * Names of this API, one of which a token must be issued for. They default to the issuer, except on an aggregated server, which issues no
 * tokens.
 */
function audiencesOf(flags: Flags): readonly string[] {
  if (flags['api-audiences'].length > 0 || flags['delegated-authentication']) return flags['api-audiences'];
  return flags['service-account-issuer'];
}

/** The user that the administrator's client certificate names. */
export function administrator(identity: Identity): User {
  return { name: administratorName(identity), uid: '', groups: [SUPERUSER_GROUP], extra: {} };
}

async function loadDefaultPolicy(): Promise<DefaultPolicy> {
  return (await import('../../../generated/default-policy.ts')).defaultPolicy;
}

/** The default roles and role bindings, as the schemas state them. */
export const defaultPolicySource: PolicySource = { hash: defaultPolicyHash, gates: defaultPolicyGates, load: loadDefaultPolicy };
