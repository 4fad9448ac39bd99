/** Client configurations (kubeconfig): clusters, users, and contexts that say which belong together. */

/** The content of one or several files. Clusters, users and contexts are found by their names. */
export interface Configuration {
  readonly preferences: Preferences;
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly users: ReadonlyMap<string, User>;
  readonly contexts: ReadonlyMap<string, Context>;
  /** '' for none */
  readonly currentContext: string;
  readonly extensions: ReadonlyMap<string, unknown>;
}

export interface Preferences {
  readonly colors?: boolean;
  readonly extensions?: ReadonlyMap<string, unknown>;
}

interface FromFile {
  /** path of the file that states the entry; absent if it comes from no file */
  readonly origin?: string;
  readonly extensions?: ReadonlyMap<string, unknown>;
}

/** Members with empty texts are left out. */
export interface Cluster extends FromFile {
  readonly server?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** path of a file */
  readonly certificateAuthority?: string;
  /** base64 */
  readonly certificateAuthorityData?: string;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
}

export interface User extends FromFile {
  readonly token?: string;
  /** path of a file */
  readonly tokenFile?: string;
  /** path of a file */
  readonly clientCertificate?: string;
  /** base64 */
  readonly clientCertificateData?: string;
  /** path of a file */
  readonly clientKey?: string;
  /** base64 */
  readonly clientKeyData?: string;
  readonly username?: string;
  readonly password?: string;
  readonly impersonate?: string;
  readonly impersonateUid?: string;
  readonly impersonateGroups?: readonly string[];
  readonly impersonateExtra?: Readonly<Record<string, readonly string[]>>;
  readonly authProvider?: { readonly name: string; readonly config?: Readonly<Record<string, string>> };
  readonly exec?: ExecSettings;
}

export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

/** A program that the client runs to get credentials. */
export interface ExecSettings {
  readonly command: string;
  readonly args?: readonly string[];
  /** added to the variables of this process */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  /** one of `InteractiveMode`; validation refuses other texts */
  readonly interactiveMode?: string;
}

export interface Context extends FromFile {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

export const EMPTY_CONFIGURATION: Configuration = {
  preferences: {},
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
  currentContext: '',
  extensions: new Map(),
};

export function isEmptyConfiguration({ clusters, users, contexts, currentContext, preferences, extensions }: Configuration): boolean {
  const sizes = [clusters, users, contexts, extensions, preferences.extensions ?? new Map()].map(({ size }) => size);
  return currentContext === '' && !preferences.colors && sizes.every((size) => size === 0);
}

/** A configuration that cannot be used. */
export class ConfigurationError extends Error {
  override readonly name: string = 'ConfigurationError';
}

/** No configuration was found, neither in files nor in a pod. */
export class EmptyConfiguration extends ConfigurationError {
  override readonly name = 'EmptyConfiguration';
}
