/** Finds out how a client connects: by a configuration, or by the account of the pod in which it runs. */
import { statSync } from 'node:fs';
import type { Identity } from '../../contract/identity.ts';
import type { ConnectionSettings } from '../transport/connection-settings.ts';
import { authorityOf } from './authority.ts';
import { pem } from './certificate-files.ts';
import { ConfigurationError, EmptyConfiguration, type User } from './configuration.ts';
import { readCredentialFile } from './credential-file.ts';
import { configuredCredentials } from './credentials.ts';
import { type ExecCluster, type ExecOptions, ExecPlugin } from './exec-plugin.ts';
import { defaultLoadingRules, type LoadingRules, loadConfiguration } from './loading-rules.ts';
import {
  hasScheme,
  type Overrides,
  type ResolvedConfiguration,
  type ResolveOptions,
  resolveConfiguration,
  statedNamespace,
} from './resolve.ts';

type Names = Pick<Identity, 'text'>;
type Environment = Readonly<Record<string, string | undefined>>;

/** A connection and the namespace that the client uses by default. */
export interface FoundConnection {
  readonly connection: ConnectionSettings;
  readonly namespace: string;
}

export interface FindOptions {
  /** the only file of the configuration; absent: files are found by the rules of 1.32, and in a cluster the account of the pod is used */
  readonly file?: string | undefined;
  /** takes precedence over `file` */
  readonly rules?: LoadingRules | undefined;
  /** name of a context; absent: the current one */
  readonly context?: string | undefined;
  readonly overrides?: Overrides | undefined;
  readonly exec?: Pick<ExecOptions, 'isTerminal' | 'stdinUnavailable'> | undefined;
}

/**
 * Finds the connection as clients of 1.32 do: from the files of the environment or of the user, or, if these are empty, from the account of the pod. In a pod, its
 * namespace is also used if a configuration states none.
 * @throws ConfigurationError; EmptyConfiguration if neither is there
 */
export async function findConnection(names: Names, options: FindOptions = {}, place: PodPlace = {}): Promise<FoundConnection> {
  const { file, rules = defaultLoadingRules(names, file), context, overrides, exec } = options;
  const resolving: ResolveOptions = { identity: names, overrides: withMaster(overrides, names), ...(context !== undefined && { context }) };
  const configuration = await loadConfiguration(rules);
  try {
    const resolved = resolveConfiguration(configuration, resolving);
    const implied = (): string => (isInCluster(names, place) ? podNamespace(names, place) : 'default');
    return {
      connection: connectionOf(resolved, { identity: names, ...exec }),
      namespace: statedNamespace(configuration, resolving) ?? implied(),
    };
  } catch (error) {
    if (error instanceof EmptyConfiguration && isInCluster(names, place)) return inClusterConnection(names, place, overrides);
    throw error;
  }
}

/** The environment may name the server for configurations without one. */
function withMaster(overrides: Overrides = {}, { text }: Names): Overrides {
  const server = process.env[text('${environmentPrefix}_MASTER')];
  return server ? { ...overrides, clusterDefaults: { server, ...overrides.clusterDefaults } } : overrides;
}

/** @throws ConfigurationError for files that cannot be read, and for settings that exclude each other */
export function connectionOf(resolved: ResolvedConfiguration, options: ExecOptions): ConnectionSettings {
  const { host, tlsServerName, insecure, caFile, caData, proxyUrl, disableCompression, impersonate, exec } = resolved;
  if (insecure && (caFile || caData))
    throw new ConfigurationError('specifying a root certificates file with the insecure flag is not allowed');
  if (!hasScheme(host) && /\/./.test(host)) throw new ConfigurationError(`host must be a URL or a host:port pair: ${JSON.stringify(host)}`);
  const cluster = exec?.provideClusterInfo ? { cluster: clusterOf(resolved) } : {};
  const credentials = configuredCredentials(resolved, exec && ExecPlugin.of(exec, { ...cluster, ...options }));
  return {
    server: hasScheme(host) ? host : `http://${host}`,
    ...((caFile || caData) && { certificateAuthority: authorityOf(caData, caFile) }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(insecure && { insecureSkipTlsVerify: true }),
    ...(credentials !== undefined && { credentials }),
    ...(impersonate !== undefined && { impersonate }),
    ...(proxyUrl !== undefined && { proxy: proxyUrl }),
    ...(disableCompression && { disableCompression }),
  };
}

function clusterOf(resolved: ResolvedConfiguration): ExecCluster {
  const { host, tlsServerName, insecure, caFile, caData, proxyUrl, disableCompression, execConfig } = resolved;
  const authority = caFile || caData ? Buffer.from(pem(caData, caFile)).toString('base64') : undefined;
  return {
    server: host,
    ...(tlsServerName && { 'tls-server-name': tlsServerName }),
    ...(insecure && { 'insecure-skip-tls-verify': true }),
    ...(authority && { 'certificate-authority-data': authority }),
    ...(proxyUrl && { 'proxy-url': proxyUrl }),
    ...(disableCompression && { 'disable-compression': true }),
    ...(execConfig !== undefined && { config: execConfig }),
  };
}

const ACCOUNT = '/var/run/secrets/${labelDomain}/serviceaccount';

interface PodPlace {
  readonly environment?: Environment;
  /** folder with the files of the pod's account; absent: the usual one */
  readonly folder?: string;
}

const folderOf = ({ text }: Names, { folder }: PodPlace): string => folder ?? text(ACCOUNT);

function addressOf({ text }: Names, { environment = process.env }: PodPlace): [host: string, port: string] {
  const variable = (name: string): string => environment[text(`\${environmentPrefix}_SERVICE_${name}`)] ?? '';
  return [variable('HOST'), variable('PORT')];
}

/** Whether the program runs in a pod that has an account. */
export function isInCluster(names: Names, place: PodPlace = {}): boolean {
  const isFile = statSync(`${folderOf(names, place)}/token`, { throwIfNoEntry: false })?.isFile() === true;
  return isFile && addressOf(names, place).every((part) => part !== '');
}

/**
 * The connection of a program in a pod, by the pod's account.
 * @param overrides of which the server, the token, the file of authorities and the namespace count, as in 1.32
 * @throws ConfigurationError if the pod has no account
 */
export function inClusterConnection(names: Names, place: PodPlace = {}, { cluster, user, context }: Overrides = {}): FoundConnection {
  const [host, port] = addressOf(names, place);
  if (host === '' || port === '') {
    const variables = ['HOST', 'PORT'].map((name) => names.text(`\${environmentPrefix}_SERVICE_${name}`));
    throw new ConfigurationError(`unable to load in-cluster configuration, ${variables.join(' and ')} must be defined`);
  }
  const folder = folderOf(names, place);
  const resolved: ResolvedConfiguration = {
    host: cluster?.server || `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ...(overriddenToken(user) ?? { bearerToken: pem(undefined, `${folder}/token`), bearerTokenFile: `${folder}/token` }),
    ...(cluster?.certificateAuthority ? { caFile: cluster.certificateAuthority } : podAuthority(`${folder}/ca.crt`)),
  };
  return { connection: connectionOf(resolved, { identity: names }), namespace: context?.namespace || podNamespace(names, place) };
}

function overriddenToken({ token, tokenFile }: User = {}): Pick<ResolvedConfiguration, 'bearerToken' | 'bearerTokenFile'> | undefined {
  if (!token && !tokenFile) return undefined;
  return { ...(token && { bearerToken: token }), ...(tokenFile && { bearerTokenFile: tokenFile }) };
}

/** As in 1.32, a pod without a file of authorities trusts the public ones that Node knows. */
function podAuthority(caFile: string): { readonly caFile?: string } {
  try {
    authorityOf(undefined, caFile);
    return { caFile };
  } catch (error) {
    process.emitWarning(`expected to load root CA config from ${caFile}, but got err: ${(error as Error).message}`);
    return {};
  }
}

function podNamespace(names: Names, place: PodPlace): string {
  const { environment = process.env } = place;
  if (environment.POD_NAMESPACE) return environment.POD_NAMESPACE;
  try {
    return readCredentialFile(`${folderOf(names, place)}/namespace`).trim() || 'default';
  } catch {
    return 'default';
  }
}
