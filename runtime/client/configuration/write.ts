/** Writes client configurations as 1.32 does: lists are sorted by name, and some members are written even if they are empty. */
import { yamlText } from '../../go-yaml/yaml.ts';
import type { Cluster, Configuration, Context, ExecSettings, User } from './configuration.ts';

/** The object of the kind Config. */
export function configurationObject({ preferences, clusters, users, contexts, currentContext, extensions }: Configuration): object {
  return {
    kind: 'Config',
    apiVersion: 'v1',
    preferences: { ...(preferences.colors && { colors: true }), ...extensionsOf(preferences) },
    clusters: named(clusters, (cluster) => ({ cluster: clusterObject(cluster) })),
    users: named(users, (user) => ({ user: userObject(user) })),
    contexts: named(contexts, (context) => ({ context: contextObject(context) })),
    'current-context': currentContext,
    ...extensionsOf({ extensions }),
  };
}

/** YAML, in the layout of 1.32. */
export function writeConfiguration(configuration: Configuration): string {
  return yamlText(configurationObject(configuration));
}

/** @returns null for an empty list, as 1.32 writes it */
function named<T>(entries: ReadonlyMap<string, T>, write: (entry: T) => object): object[] | null {
  if (entries.size === 0) return null;
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, entry]) => ({ name, ...write(entry) }));
}

function extensionsOf({ extensions = new Map() }: { readonly extensions?: ReadonlyMap<string, unknown> }): object {
  return extensions.size === 0 ? {} : { extensions: named(extensions, (extension) => ({ extension })) };
}

function clusterObject(cluster: Cluster): object {
  return {
    server: cluster.server ?? '',
    ...given({
      'tls-server-name': cluster.tlsServerName,
      'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify,
      'certificate-authority': cluster.certificateAuthority,
      'certificate-authority-data': cluster.certificateAuthorityData,
      'proxy-url': cluster.proxyUrl,
      'disable-compression': cluster.disableCompression,
    }),
    ...extensionsOf(cluster),
  };
}

function userObject(user: User): object {
  return {
    ...given({
      'client-certificate': user.clientCertificate,
      'client-certificate-data': user.clientCertificateData,
      'client-key': user.clientKey,
      'client-key-data': user.clientKeyData,
      token: user.token,
      tokenFile: user.tokenFile,
      as: user.impersonate,
      'as-uid': user.impersonateUid,
      'as-groups': user.impersonateGroups,
      'as-user-extra': user.impersonateExtra,
      username: user.username,
      password: user.password,
      'auth-provider': user.authProvider && { name: user.authProvider.name, config: user.authProvider.config ?? null },
      exec: user.exec && execObject(user.exec),
    }),
    ...extensionsOf(user),
  };
}

function execObject({
  command,
  args = null,
  env = null,
  apiVersion,
  installHint,
  provideClusterInfo,
  interactiveMode,
}: ExecSettingsOrNull): object {
  const always = { command, args, env, provideClusterInfo: provideClusterInfo ?? false };
  return { ...always, ...given({ apiVersion, installHint, interactiveMode }) };
}

type ExecSettingsOrNull = { readonly [K in keyof ExecSettings]: ExecSettings[K] | null };

function contextObject(context: Context): object {
  return { cluster: context.cluster ?? '', user: context.user ?? '', ...given({ namespace: context.namespace }), ...extensionsOf(context) };
}

/** Leaves out empty members. */
function given(object: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== '' && value !== false));
}
