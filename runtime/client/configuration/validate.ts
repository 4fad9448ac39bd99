/** Validates client configurations. Its messages are those of 1.32. */
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { Identity } from '../../contract/identity.ts';
import {
  type Cluster,
  type Configuration,
  ConfigurationError,
  type Context,
  EmptyConfiguration,
  isEmptyConfiguration,
  type User,
} from './configuration.ts';
import { assertCredentialFile } from './credential-file.ts';
import { systemText } from './system-text.ts';

type Names = Pick<Identity, 'text'>;

export const NO_SERVER = 'cluster has no server defined';

/** Validates everything in the configuration. @throws ConfigurationError with all problems; EmptyConfiguration */
export function validateConfiguration(configuration: Configuration, names: Names): void {
  if (isEmptyConfiguration(configuration)) throw emptyConfiguration(names);
  const { contexts, users, clusters, currentContext } = configuration;
  throwInvalid([
    ...(currentContext !== '' && !contexts.has(currentContext) ? [missingContext(currentContext)] : []),
    ...sorted(contexts).flatMap(([name, context]) => contextProblems(name, context, configuration)),
    ...sorted(users).flatMap(([name, user]) => userProblems(name, user)),
    ...sorted(clusters).flatMap(([name, cluster]) => clusterProblems(name, cluster)),
  ]);
}

/**
 * Validates one context with its cluster and its user.
 * @param named name of the context; '' for the current one
 * @throws ConfigurationError with all problems; EmptyConfiguration
 */
export function confirmUsable(configuration: Configuration, named: string, names: Names): void {
  if (isEmptyConfiguration(configuration)) throw emptyConfiguration(names);
  const { contexts, users, clusters, currentContext } = configuration;
  const chosen = named || currentContext;
  if (chosen === '') throw new ConfigurationError('no context chosen');
  const context = contexts.get(chosen);
  if (context === undefined) throw invalid([missingContext(chosen)]);
  const { user = '', cluster = '' } = context;
  throwInvalid([
    ...contextProblems(chosen, context, configuration),
    ...userProblems(user, users.get(user) ?? {}),
    ...clusterProblems(cluster, clusters.get(cluster) ?? {}),
  ]);
}

/** @throws ConfigurationError if there are problems */
export function throwInvalid(problems: readonly string[]): void {
  if (problems.length > 0) throw invalid(problems);
}

export const missingContext = (name: string): string => `context was not found for specified context: ${name}`;

export function emptyConfiguration({ text }: Names): EmptyConfiguration {
  const variable = text('${environmentPrefix}_MASTER');
  return new EmptyConfiguration(`invalid configuration: no configuration has been provided, try setting ${variable} environment variable`);
}

const invalid = (problems: readonly string[]): ConfigurationError =>
  new ConfigurationError(`invalid configuration: ${aggregateText(problems)}`);

const sorted = <T>(entries: ReadonlyMap<string, T>): [string, T][] => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

const quote = (text: string): string => JSON.stringify(text);
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export function contextProblems(name: string, context: Context, { users, clusters }: Configuration): string[] {
  const { user = '', cluster = '', namespace = '' } = context;
  const problems: string[] = [];
  if (name === '') problems.push(`empty context name for ${shownContext(context)} is not allowed`);
  if (user === '') problems.push(`user was not specified for context ${quote(name)}`);
  else if (!users.has(user)) problems.push(`user ${quote(user)} was not found for context ${quote(name)}`);
  if (cluster === '') problems.push(`cluster was not specified for context ${quote(name)}`);
  else if (!clusters.has(cluster)) problems.push(`cluster ${quote(cluster)} was not found for context ${quote(name)}`);
  if (namespace !== '' && !LABEL.test(namespace))
    problems.push(`namespace ${quote(namespace)} for context ${quote(name)} does not conform to the kubernetes DNS_LABEL rules`);
  return problems;
}

/** As Go prints it. */
function shownContext({ origin = '', cluster = '', user = '', namespace = '' }: Context): string {
  const members = { LocationOfOrigin: origin, Cluster: cluster, AuthInfo: user, Namespace: namespace };
  const texts = Object.entries(members).map(([member, value]) => `${member}:${quote(value)}`);
  return `api.Context{${texts.join(', ')}, Extensions:map[string]runtime.Object(nil)}`;
}

export function clusterProblems(name: string, cluster: Cluster): string[] {
  if (Object.keys(cluster).length === 0) return [NO_SERVER];
  const { server = '', proxyUrl = '', certificateAuthority = '', certificateAuthorityData = '' } = cluster;
  const problems: string[] = [];
  if (server === '') problems.push(name === '' ? 'default cluster has no server defined' : `no server found for cluster ${quote(name)}`);
  const proxy = proxyUrl === '' ? undefined : proxyProblem(proxyUrl);
  if (proxy !== undefined) problems.push(`invalid 'proxy-url' ${quote(proxyUrl)} for cluster ${quote(name)}: ${proxy}`);
  if (certificateAuthority !== '' && certificateAuthorityData !== '')
    problems.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    );
  return [...problems, ...unreadable(certificateAuthority, 'certificate-authority', name)];
}

const SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'socks5']);

function proxyProblem(text: string): string | undefined {
  const [, scheme = ''] = /^([a-zA-Z][-+.a-zA-Z0-9]*):/.exec(text) ?? [];
  if (scheme !== '' && !URL.canParse(text)) return `could not parse: ${text}`;
  return SCHEMES.has(scheme.toLowerCase()) ? undefined : `unsupported scheme ${quote(scheme)}, must be http, https, or socks5`;
}

export function userProblems(name: string, user: User): string[] {
  const methods = [...(user.token ? ['token'] : []), ...(user.username || user.password ? ['basicAuth'] : [])];
  const several = methods.length > 1;
  const needsUser = Boolean(user.impersonateUid || user.impersonateGroups?.length || Object.keys(user.impersonateExtra ?? {}).length);
  return [
    ...certificateProblems(name, user),
    ...execProblems(name, user),
    ...(several ? [`more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`] : []),
    ...(needsUser && !user.impersonate ? [`requesting uid, groups or user-extra for ${name} without impersonating a user`] : []),
  ];
}

function certificateProblems(name: string, user: User): string[] {
  const { clientCertificate = '', clientCertificateData = '', clientKey = '', clientKeyData = '' } = user;
  if (clientCertificate === '' && clientCertificateData === '') return [];
  const problems: string[] = [];
  if (clientCertificate !== '' && clientCertificateData !== '')
    problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`);
  if (clientKey !== '' && clientKeyData !== '')
    problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
  if (clientKey === '' && clientKeyData === '')
    problems.push(`client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`);
  return [...problems, ...unreadable(clientCertificate, 'client-cert', name), ...unreadable(clientKey, 'client-key', name)];
}

const MODES: ReadonlySet<string> = new Set(['Never', 'IfAvailable', 'Always']);

function execProblems(name: string, { exec, authProvider }: User): string[] {
  if (exec === undefined) return [];
  const use = `must be specified for ${name} to use exec authentication plugin`;
  const { command, apiVersion, env = [], interactiveMode = '' } = exec;
  return [
    ...(authProvider !== undefined ? [`authProvider cannot be provided in combination with an exec plugin for ${name}`] : []),
    ...(command === '' ? [`command ${use}`] : []),
    ...(apiVersion === '' ? [`apiVersion ${use}`] : []),
    ...env.filter((variable) => variable.name === '').map(() => `env variable name ${use}`),
    ...(interactiveMode === '' ? [`interactiveMode ${use}`] : []),
    ...(interactiveMode !== '' && !MODES.has(interactiveMode) ? [`invalid interactiveMode for ${name}: ${quote(interactiveMode)}`] : []),
  ];
}

/** @param file '' for none */
function unreadable(file: string, member: string, name: string): string[] {
  if (file === '') return [];
  try {
    assertCredentialFile(file);
    return [];
  } catch (error) {
    return [`unable to read ${member} ${file} for ${name} due to ${systemText(error, file)}`];
  }
}
