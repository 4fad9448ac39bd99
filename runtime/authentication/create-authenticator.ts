/** From flags to the methods of authentication that they switch on. */
import type { Identity } from '../contract/identity.ts';
import type { Log } from '../endpoints/api-server.ts';
import type { Storage } from '../storage/storage.ts';
import { Authenticator } from './authenticator.ts';
import { BootstrapTokens } from './bootstrap-tokens.ts';
import { CertificateAuthorities } from './certificate-authorities.ts';
import { ClientCertificates } from './client-certificates.ts';
import { CREDENTIAL_ID } from './identities.ts';
import { ProxyHeaders } from './proxy-headers.ts';
import type { TokenKeys } from './service-accounts/keys.ts';
import { ServiceAccountTokens } from './service-accounts/token-verifier.ts';
import { StoredObjects } from './stored-objects.ts';
import { TokenFile } from './token-file.ts';
import { forAudiences, type TokenMethod, TokenMethods } from './token-methods.ts';

/** The flags that say it. */
export interface AuthenticationFlags {
  readonly 'token-auth-file': string;
  readonly 'anonymous-auth': boolean;
  readonly 'enable-bootstrap-token-auth': boolean;
  readonly 'service-account-issuer': readonly string[];
  readonly 'service-account-lookup': boolean;
  readonly 'requestheader-allowed-names': readonly string[];
  readonly 'requestheader-username-headers': readonly string[];
  readonly 'requestheader-uid-headers': readonly string[];
  readonly 'requestheader-group-headers': readonly string[];
  readonly 'requestheader-extra-headers-prefix': readonly string[];
}

export interface AuthenticationParts {
  readonly flags: AuthenticationFlags;
  readonly identity: Identity;
  readonly storage: Storage;
  readonly log: Log;
  /** PEM texts; a client certificate that one of these signed names its user */
  readonly clientAuthorities: readonly string[];
  /** PEM; a client certificate that one of these signed is an authenticating proxy's */
  readonly proxyAuthorities: string | undefined;
  readonly tokenKeys: TokenKeys;
  /** names of this API */
  readonly audiences: readonly string[];
}

/** @throws Error that names the flag or the file that is wrong */
export function createAuthenticator(parts: AuthenticationParts): Authenticator {
  const { flags, identity, log } = parts;
  return new Authenticator({
    certificates: new ClientCertificates({
      users: new CertificateAuthorities(parts.clientAuthorities),
      proxies: parts.proxyAuthorities === undefined ? undefined : new CertificateAuthorities([parts.proxyAuthorities]),
      proxyNames: flags['requestheader-allowed-names'],
      credentialId: identity.text(CREDENTIAL_ID),
    }),
    proxyHeaders: new ProxyHeaders({
      username: flags['requestheader-username-headers'],
      uid: flags['requestheader-uid-headers'],
      group: flags['requestheader-group-headers'],
      extraPrefix: flags['requestheader-extra-headers-prefix'],
    }),
    tokens: new TokenMethods(tokenMethods(parts)),
    audiences: parts.audiences,
    anonymous: () => flags['anonymous-auth'],
    log,
    text: identity.text,
  });
}

/** In the order of 1.32. */
function tokenMethods({ flags, identity, storage, audiences, tokenKeys, log }: AuthenticationParts): TokenMethod[] {
  const methods: TokenMethod[] = [];
  const objects = new StoredObjects(storage);
  if (flags['token-auth-file'] !== '') {
    const file = TokenFile.read(flags['token-auth-file']);
    for (const warning of file.warnings) log.warn({}, `--token-auth-file: ${warning}`);
    methods.push(forAudiences(audiences, (token) => file.find(token)));
  }
  methods.push(
    new ServiceAccountTokens({
      keys: tokenKeys.accepted,
      issuers: flags['service-account-issuer'],
      audiences,
      objects,
      lookUp: flags['service-account-lookup'],
      text: identity.text,
    }),
  );
  if (flags['enable-bootstrap-token-auth']) {
    const tokens = new BootstrapTokens(objects, identity.text);
    methods.push(forAudiences(audiences, (token) => tokens.find(token)));
  }
  return methods;
}
