/** Makes the authentication methods that flags switch on. Modules that only some of them need are loaded on demand. */

import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import { readFlagFile } from '../../files/flag-file.ts';
import type { FollowedFiles } from '../../files/followed-files.ts';
import type { Log } from '../../observability/log.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { Egress } from '../../outbound/egress.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { AuthenticationMetrics, certificateExpirations } from '../authentication-metrics.ts';
import { Authenticator } from '../authenticator.ts';
import { BootstrapTokens } from '../bootstrap-tokens.ts';
import { type ClientAuthorities, ClientCertificates, purposesOf } from '../client-certificates.ts';
import { CREDENTIAL_ID } from '../identities.ts';
import { KeyedDigest } from '../keyed-digest.ts';
import { ProxyHeaders } from '../proxy-headers.ts';
import { type LabelSecret, LastUse } from '../service-accounts/last-use.ts';
import type { TokenSigner } from '../service-accounts/token-signer.ts';
import { ServiceAccountTokens } from '../service-accounts/token-verifier.ts';
import { TokenCacheMetrics } from '../token-cache-metrics.ts';
import { TokenFile } from '../token-file.ts';
import { forAudiences, type TokenMethod, TokenMethods } from '../token-methods.ts';
import { type AuthenticationFlags, checkAuthenticationFlags, givenOpenIdFlag, proxyHeaderNames } from './authentication-flags.ts';
import type { ConfigurationFile } from './configuration-file.ts';

export interface AuthenticationParts extends ClientAuthorities {
  readonly flags: AuthenticationFlags;
  /** names of the flags on the command line */
  readonly given: ReadonlySet<string>;
  readonly identity: Identity;
  readonly objects: ObjectLookup;
  readonly log: Log;
  /** reads configuration files that flags name */
  readonly fileKinds: () => Promise<FileKinds>;
  readonly tokenSigner: TokenSigner;
  readonly labelSecret: LabelSecret;
  readonly metrics: Metrics;
  /** leads to services that are asked about tokens; absent: they are reached directly */
  readonly egress?: Egress | undefined;
  readonly followedFiles: FollowedFiles;
  /** audiences of this server */
  readonly audiences: readonly string[];
  /** a bearer token besides those of flags, with its user; absent: none */
  readonly knownToken?: { readonly token: string; readonly user: User };
}

/** @throws Error that names the invalid flag or file */
export async function createAuthenticator(parts: AuthenticationParts): Promise<Authenticator> {
  checkAuthenticationFlags(parts.flags, parts.given);
  const closers: (() => void)[] = [];
  try {
    return await createFrom(parts, closers);
  } catch (error) {
    for (const close of closers) close();
    throw error;
  }
}

async function createFrom(parts: AuthenticationParts, closers: (() => void)[]): Promise<Authenticator> {
  const { flags, identity, log } = parts;
  const configuration = await configurationFile(parts);
  if (configuration !== undefined) closers.push(() => configuration.close());
  return new Authenticator({
    certificates: new ClientCertificates({
      ...purposesOf(parts),
      proxyNames: flags['requestheader-allowed-names'],
      credentialId: identity.text(CREDENTIAL_ID),
      expirations: certificateExpirations(parts.metrics),
    }),
    proxyHeaders: new ProxyHeaders(proxyHeaderNames(flags, identity)),
    tokens: new TokenMethods(await tokenMethods(parts, configuration, closers)),
    audiences: parts.audiences,
    anonymous: anonymousAccess(parts, configuration),
    log,
    metrics: new AuthenticationMetrics(parts.metrics),
    text: identity.text,
    closers,
  });
}

/** Milliseconds for which another server's answer is cached if no flag says so, and in which it must answer; as in aggregated servers of 1.32. */
const DELEGATED_TTL = 10_000;
const DELEGATED_TIMEOUT = 10_000;

/** Asks another API server about tokens that are not known here. */
async function delegatedTokens(parts: AuthenticationParts, closers: (() => void)[]): Promise<TokenMethod> {
  const { flags, given, identity, audiences } = parts;
  const [{ WebhookTokens }, { atPath, delegatingServer }, { delegatedRequests }] = await Promise.all([
    import('../webhook-tokens.ts'),
    import('../../outbound/delegating-server.ts'),
    import('../../outbound/delegated-requests.ts'),
  ]);
  const apiVersion = identity.text('authentication.${groupDomain}/v1');
  const ttl = 'authentication-token-webhook-cache-ttl';
  const tokens = new WebhookTokens({
    peer: {
      ...atPath(await delegatingServer('authentication-kubeconfig', flags, parts), `/apis/${apiVersion}/tokenreviews`),
      metrics: parts.metrics,
    },
    apiVersion,
    audiences,
    cacheTtl: given.has(ttl) ? flags[ttl] : DELEGATED_TTL,
    timeout: DELEGATED_TIMEOUT,
    count: delegatedRequests(parts.metrics, 'authn'),
    cacheMetrics: new TokenCacheMetrics(parts.metrics),
  });
  closers.push(() => tokens.close());
  return tokens;
}

/** With mode AlwaysAllow anonymous requests are not allowed, because they could do everything. */
function anonymousAccess({ flags, log }: AuthenticationParts, configuration: ConfigurationFile | undefined): (path: string) => boolean {
  if (!flags['delegated-authentication'] && flags['authorization-mode'].includes('AlwaysAllow')) {
    if (flags['anonymous-auth']) log.warn({}, 'anonymous requests are refused because --authorization-mode has AlwaysAllow');
    return () => false;
  }
  return (path) => {
    const { enabled, paths } = configuration?.anonymous ?? { enabled: flags['anonymous-auth'] };
    return enabled && (paths?.has(path) ?? true);
  };
}

/** @throws Error for an invalid file, and for flags that set what the file sets */
async function configurationFile(parts: AuthenticationParts): Promise<ConfigurationFile | undefined> {
  const { flags, given, identity, fileKinds, log, metrics, followedFiles } = parts;
  const file = flags['authentication-config'];
  if (file === '') return undefined;
  const openId = givenOpenIdFlag(given);
  if (openId !== undefined) throw new Error(`--authentication-config and --${openId} exclude each other`);
  const { ConfigurationFile } = await import('./configuration-file.ts');
  const opened = await ConfigurationFile.open({
    file,
    kinds: await fileKinds(),
    ownIssuers: flags['service-account-issuer'],
    credentialKey: identity.text(CREDENTIAL_ID),
    log,
    metrics,
    followedFiles,
  });
  if (opened.anonymous === undefined || !given.has('anonymous-auth')) return opened;
  opened.close();
  throw new Error('--anonymous-auth cannot be set where the file of --authentication-config says who may be anonymous');
}

/** In the order of 1.32. */
async function tokenMethods(
  parts: AuthenticationParts,
  configuration: ConfigurationFile | undefined,
  closers: (() => void)[],
): Promise<TokenMethod[]> {
  const { flags, identity, objects, audiences, tokenSigner } = parts;
  if (flags['delegated-authentication']) return [...knownToken(parts), await delegatedTokens(parts, closers)];
  const methods = [
    ...knownToken(parts),
    ...(await tokenFile(parts, closers)),
    new ServiceAccountTokens({
      signer: tokenSigner,
      issuers: flags['service-account-issuer'],
      audiences,
      objects,
      lookUp: flags['service-account-lookup'],
      lastUse: new LastUse(identity.text, parts.labelSecret, parts.log),
      metrics: parts.metrics,
      text: identity.text,
    }),
  ];
  if (flags['enable-bootstrap-token-auth']) {
    const tokens = new BootstrapTokens(objects, identity.text);
    methods.push(forAudiences(audiences, (token) => tokens.find(token)));
  }
  if (configuration !== undefined) methods.push(forAudiences(audiences, (token) => configuration.find(token)));
  methods.push(...(await openIdTokens(parts, closers)), ...(await webhookTokens(parts, closers)));
  return methods;
}

function knownToken({ knownToken: known, audiences }: AuthenticationParts): TokenMethod[] {
  if (known === undefined) return [];
  const digest = new KeyedDigest();
  const digestOfKnown = digest.of(known.token);
  return [forAudiences(audiences, (token, connection) => (digest.of(token, connection) === digestOfKnown ? known.user : undefined))];
}

/** Opens the file, which is read again on request. If a new text is invalid, the old one stays in force. */
async function tokenFile({ flags, audiences, log, followedFiles }: AuthenticationParts, closers: (() => void)[]): Promise<TokenMethod[]> {
  const path = flags['token-auth-file'];
  if (path === '') return [];
  const read = (text: string): TokenFile => {
    const tokens = new TokenFile(text, path);
    for (const warning of tokens.warnings) log.warn({}, `--token-auth-file: ${warning}`);
    return tokens;
  };
  const text = readFlagFile('token-auth-file', path);
  let tokens = read(text);
  const { FileWatch } = await import('../../files/file-watch.ts');
  const watch = new FileWatch({
    file: path,
    text,
    followedFiles,
    async changed(changed) {
      tokens = read(changed);
      log.info({ file: path }, '--token-auth-file: the file has been read again');
    },
    failed: (error) => log.error({ err: error, file: path }, '--token-auth-file: the new text of the file is not used'),
  });
  closers.push(() => watch.close());
  return [forAudiences(audiences, (token, connection) => tokens.find(token, connection))];
}

async function openIdTokens(
  { flags, identity, fileKinds, audiences, metrics }: AuthenticationParts,
  closers: (() => void)[],
): Promise<TokenMethod[]> {
  if (flags['oidc-issuer-url'] === '' && flags['oidc-client-id'] === '') return [];
  const { checkIssuerOfFlags, issuerOfFlags } = await import('../issuers/issuer-configuration.ts');
  const { IssuerTokens } = await import('../issuers/issuer-tokens.ts');
  const issuer = issuerOfFlags(flags);
  await checkIssuerOfFlags(issuer, await fileKinds(), identity.text);
  if (flags['service-account-issuer'].includes(issuer.issuer.url))
    throw new Error(`--oidc-issuer-url: the tokens of ${JSON.stringify(issuer.issuer.url)} are this server's own`);
  const tokens = new IssuerTokens(issuer, metrics, identity.text(CREDENTIAL_ID));
  closers.push(() => tokens.close());
  return [forAudiences(audiences, (token) => tokens.find(token))];
}

async function webhookTokens(parts: AuthenticationParts, closers: (() => void)[]): Promise<TokenMethod[]> {
  const { flags, audiences, identity, fileKinds } = parts;
  const file = flags['authentication-token-webhook-config-file'];
  if (file === '') return [];
  const version = flags['authentication-token-webhook-version'];
  if (version !== 'v1' && version !== 'v1beta1')
    throw new Error(`--authentication-token-webhook-version: ${JSON.stringify(version)} is neither v1 nor v1beta1`);
  const { WebhookTokens } = await import('../webhook-tokens.ts');
  const { peerOf } = await import('../../outbound/client-configuration.ts');
  const { object } = await (await fileKinds()).read(file, { group: '', kind: 'Config' });
  const tokens = new WebhookTokens({
    peer: { ...peerOf(object, file, identity, parts.egress?.tunnel('controlplane')), metrics: parts.metrics },
    apiVersion: identity.text(`authentication.\${groupDomain}/${version}`),
    audiences,
    cacheTtl: flags['authentication-token-webhook-cache-ttl'],
    cacheMetrics: new TokenCacheMetrics(parts.metrics),
  });
  closers.push(() => tokens.close());
  return [tokens];
}
