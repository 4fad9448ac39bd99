/** Takes from a configuration what a client needs: the cluster and the user of one context, with overrides applied. The rules are those of 1.32. */
import type { Identity } from '../../contract/identity.ts';
import { type Cluster, type Configuration, ConfigurationError, type Context, type ExecSettings, type User } from './configuration.ts';
import { readCredentialFile } from './credential-file.ts';
import { withoutEscapeCodes } from './escape-codes.ts';
import { systemText } from './system-text.ts';
import { clusterProblems, emptyConfiguration, missingContext, NO_SERVER, throwInvalid, userProblems } from './validate.ts';

export interface Overrides {
  /** name of a context, which must exist */
  readonly currentContext?: string;
  /** names of a cluster and a user, which must exist, and a namespace */
  readonly context?: Context;
  readonly cluster?: Cluster;
  /** applies where the configuration says nothing */
  readonly clusterDefaults?: Cluster;
  readonly user?: User;
}

/** Where a client connects, and as whom. Empty members are absent. */
export interface ResolvedConfiguration {
  /** a URL, or only a host */
  readonly host: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly tlsServerName?: string;
  readonly insecure?: boolean;
  readonly caFile?: string;
  /** base64, as all data here */
  readonly caData?: string;
  readonly certFile?: string;
  readonly certData?: string;
  readonly keyFile?: string;
  readonly keyData?: string;
  readonly bearerToken?: string;
  readonly bearerTokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly impersonate?: {
    readonly user: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: NonNullable<User['impersonateExtra']>;
  };
  readonly exec?: ExecSettings;
  /** the cluster's extension for the program of `exec` */
  readonly execConfig?: unknown;
  readonly authProvider?: NonNullable<User['authProvider']>;
}

export interface ResolveOptions {
  /** names of the dialect */
  readonly identity: Pick<Identity, 'text'>;
  /** name of a context; absent or '': the current one */
  readonly context?: string;
  readonly overrides?: Overrides;
}

/** Name of the cluster's extension that is passed to credential programs. */
const EXEC_EXTENSION = 'client.authentication.${groupDomain}/exec';

/** @throws ConfigurationError, EmptyConfiguration */
export function resolveConfiguration(configuration: Configuration, options: ResolveOptions): ResolvedConfiguration {
  const chosen = new Choice(configuration, options);
  const [userName, user] = chosen.user();
  const [clusterName, cluster] = chosen.cluster();
  const { identity, context = '' } = options;
  const name = context || configuration.currentContext;
  const problems = [
    ...(name !== '' && !configuration.contexts.has(name) ? [missingContext(name)] : []),
    ...userProblems(userName, user),
    ...clusterProblems(clusterName, cluster),
  ];
  if (problems.length === 1 && problems[0] === NO_SERVER) throw emptyConfiguration(identity);
  throwInvalid(problems);
  const host = hostOf(cluster.server ?? '');
  return {
    host,
    ...given({ proxyUrl: cluster.proxyUrl, disableCompression: cluster.disableCompression }),
    ...impersonationOf(user),
    // credentials must not be sent over a connection that others can read
    ...(speaksTls(host) && { ...credentialsOf(user, cluster, identity), ...trustOf(cluster) }),
  };
}

/** @returns the namespace of the context, or `default`. @throws ConfigurationError as `context` */
export function namespaceOf(configuration: Configuration, options: ResolveOptions): string {
  return statedNamespace(configuration, options) ?? 'default';
}

/** @returns the namespace that the context or the overrides state. @throws ConfigurationError as `context` */
export function statedNamespace(configuration: Configuration, options: ResolveOptions): string | undefined {
  return new Choice(configuration, options).context().namespace || undefined;
}

class Choice {
  readonly #configuration: Configuration;
  readonly #options: ResolveOptions;

  constructor(configuration: Configuration, options: ResolveOptions) {
    this.#configuration = configuration;
    this.#options = options;
  }

  /** @throws ConfigurationError if overrides name a context that does not exist */
  context(): Context {
    const { context = '', overrides = {} } = this.#options;
    const { contexts, currentContext } = this.#configuration;
    const name = overrides.currentContext || context || currentContext;
    const found = contexts.get(name);
    if (found === undefined && overrides.currentContext) throw new ConfigurationError(`context ${JSON.stringify(name)} does not exist`);
    return { ...found, ...given(overrides.context ?? {}) };
  }

  user(): [name: string, user: User] {
    const { overrides = {} } = this.#options;
    const name = overrides.context?.user || this.context().user || '';
    const found = this.#configuration.users.get(name);
    if (found === undefined && overrides.context?.user) throw new ConfigurationError(`auth info ${JSON.stringify(name)} does not exist`);
    return [name, { ...found, ...given(overrides.user ?? {}) }];
  }

  cluster(): [name: string, cluster: Cluster] {
    const { overrides = {} } = this.#options;
    const name = overrides.context?.cluster || this.context().cluster || '';
    const found = this.#configuration.clusters.get(name);
    if (found === undefined && overrides.context?.cluster) throw new ConfigurationError(`cluster ${JSON.stringify(name)} does not exist`);
    const merged = { ...overrides.clusterDefaults, ...found, ...given(overrides.cluster ?? {}) };
    return [name, withOwnTrust(merged, overrides.cluster ?? {})];
  }
}

/** An override of the trust replaces all members about trust. An override of the server also drops the configured name of its certificate. */
function withOwnTrust(merged: Cluster, own: Cluster): Cluster {
  const { insecureSkipTlsVerify, certificateAuthority, certificateAuthorityData, tlsServerName, ...others } = merged;
  const trust = { insecureSkipTlsVerify, certificateAuthority, certificateAuthorityData };
  const overridesTrust = own.insecureSkipTlsVerify || own.certificateAuthority || own.certificateAuthorityData;
  const ownTrust = {
    insecureSkipTlsVerify: own.insecureSkipTlsVerify,
    certificateAuthority: own.certificateAuthority,
    certificateAuthorityData: own.certificateAuthorityData,
  };
  const name = own.tlsServerName || own.server ? own.tlsServerName : tlsServerName;
  return { ...others, ...given(overridesTrust ? ownTrust : trust), ...given({ tlsServerName: name }) };
}

/** Removes the query and the fragment of a URL with a path, because paths of the API are appended to it. */
function hostOf(server: string): string {
  const url = hasScheme(server) ? URL.parse(server) : null;
  if (url === null || url.pathname.length <= 1 || (url.search === '' && url.hash === '')) return server;
  return server.replace(/[?#].*$/, '');
}

export const hasScheme = (server: string): boolean => /^[a-z][-+.a-z\d]*:\/\//i.test(server);

/** A host without a scheme is reached by plain http. */
export const speaksTls = (host: string): boolean => /^https:\/\//i.test(host);

function impersonationOf({ impersonate: user, impersonateUid: uid, impersonateGroups: groups, impersonateExtra: extra }: User) {
  return user ? { impersonate: { user, ...given({ uid, groups, extra }) } } : {};
}

function trustOf({
  certificateAuthority: caFile,
  certificateAuthorityData: caData,
  insecureSkipTlsVerify: insecure,
  tlsServerName,
}: Cluster) {
  return given({ caFile, caData, insecure, tlsServerName });
}

function credentialsOf(user: User, { extensions }: Cluster, { text }: Pick<Identity, 'text'>) {
  const { token, tokenFile, clientCertificate, clientCertificateData, clientKey, clientKeyData, username, password, authProvider, exec } =
    user;
  const certificate = { certFile: clientCertificate, certData: clientCertificateData, keyFile: clientKey, keyData: clientKeyData };
  const execConfig = extensions?.get(text(EXEC_EXTENSION));
  return {
    ...given({ bearerToken: token || (tokenFile && readToken(tokenFile)), bearerTokenFile: tokenFile }),
    ...(clientCertificate || clientCertificateData ? given(certificate) : {}),
    ...given({ username, password, authProvider }),
    ...(exec !== undefined && { exec: safeExec(exec), ...given({ execConfig }) }),
  };
}

/** @throws ConfigurationError */
function readToken(file: string): string {
  try {
    return readCredentialFile(file);
  } catch (error) {
    throw new ConfigurationError(systemText(error, file), { cause: error });
  }
}

function safeExec({ installHint, ...exec }: ExecSettings): ExecSettings {
  return { ...exec, ...(installHint !== undefined && { installHint: withoutEscapeCodes(installHint) }) };
}

/** Leaves out empty members. */
function given<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
