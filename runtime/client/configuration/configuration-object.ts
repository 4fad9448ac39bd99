/** Reads client configurations from objects of the kind Config, which is what their files contain. */
import type { Cluster, Configuration, Context, ExecSettings, User } from './configuration.ts';
import { ConfigurationError } from './configuration.ts';
import { type EntryType, shownEntries, shownExtensions } from './shown-entries.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** @param origin path of the file with the object. @throws ConfigurationError for a value that is not such an object */
export function readConfiguration(value: unknown, origin?: string): Configuration {
  const config = new ObjectReader(value, '');
  const { kind = 'Config', apiVersion = 'v1' } = config.object;
  if (kind !== 'Config' || apiVersion !== 'v1')
    throw new ConfigurationError(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  const from = origin === undefined ? {} : { origin };
  const preferences = config.member('preferences');
  const colors = preferences.boolean('colors');
  return {
    preferences: { ...(colors && { colors }), ...preferences.extensions() },
    clusters: config.named('clusters', 'Cluster', 'cluster', (each) => ({ ...from, ...clusterOf(each) })),
    users: config.named('users', 'AuthInfo', 'user', (each) => ({ ...from, ...userOf(each) })),
    contexts: config.named('contexts', 'Context', 'context', (each) => ({ ...from, ...contextOf(each) })),
    currentContext: config.text('current-context') ?? '',
    extensions: config.extensions().extensions ?? new Map(),
  };
}

function clusterOf(cluster: ObjectReader): Cluster {
  return defined({
    server: cluster.text('server'),
    tlsServerName: cluster.text('tls-server-name'),
    insecureSkipTlsVerify: cluster.boolean('insecure-skip-tls-verify'),
    certificateAuthority: cluster.text('certificate-authority'),
    certificateAuthorityData: cluster.bytes('certificate-authority-data'),
    proxyUrl: cluster.text('proxy-url'),
    disableCompression: cluster.boolean('disable-compression'),
    ...cluster.extensions(),
  });
}

function userOf(user: ObjectReader): User {
  const provider = user.has('auth-provider') ? user.member('auth-provider') : undefined;
  return defined({
    token: user.text('token'),
    tokenFile: user.text('tokenFile'),
    clientCertificate: user.text('client-certificate'),
    clientCertificateData: user.bytes('client-certificate-data'),
    clientKey: user.text('client-key'),
    clientKeyData: user.bytes('client-key-data'),
    username: user.text('username'),
    password: user.text('password'),
    impersonate: user.text('as'),
    impersonateUid: user.text('as-uid'),
    impersonateGroups: user.texts('as-groups'),
    impersonateExtra: user.lists('as-user-extra'),
    authProvider: provider && defined({ name: provider.text('name') ?? '', config: provider.textMap('config') }),
    exec: user.has('exec') ? execOf(user.member('exec')) : undefined,
    ...user.extensions(),
  });
}

/** Versions of credentials before v1. They need not state the interactive mode. */
const BEFORE_STABLE = /^client\.authentication\..*\/v1(?:alpha1|beta1)$/;

export function execOf(exec: ObjectReader): ExecSettings {
  const apiVersion = exec.text('apiVersion') ?? '';
  return defined({
    command: exec.text('command') ?? '',
    args: exec.texts('args'),
    env: exec.list('env')?.map((variable) => ({ name: variable.text('name') ?? '', value: variable.text('value') ?? '' })),
    apiVersion,
    installHint: exec.text('installHint'),
    provideClusterInfo: exec.boolean('provideClusterInfo'),
    interactiveMode: exec.text('interactiveMode') ?? (BEFORE_STABLE.test(apiVersion) ? 'IfAvailable' : undefined),
  });
}

function contextOf(context: ObjectReader): Context {
  return defined({
    cluster: context.text('cluster'),
    user: context.text('user'),
    namespace: context.text('namespace'),
    ...context.extensions(),
  });
}

/** Leaves out members that are undefined. */
function defined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Reads members of a JSON object. Its errors name the path of a member with a wrong type. */
class ObjectReader {
  readonly object: JsonObject;
  readonly #path: string;

  /** @throws ConfigurationError for a value that is not an object */
  constructor(value: unknown, path: string) {
    if (value !== null && value !== undefined && (typeof value !== 'object' || Array.isArray(value)))
      throw new ConfigurationError(`${path === '' ? 'the configuration' : path.slice(1)} is no object`);
    this.object = (value ?? {}) as JsonObject;
    this.#path = path;
  }

  has(name: string): boolean {
    return this.object[name] !== null && this.object[name] !== undefined;
  }

  member(name: string): ObjectReader {
    return new ObjectReader(this.object[name], `${this.#path}.${name}`);
  }

  text(name: string): string | undefined {
    const value = this.#typed(name, 'string');
    return value === '' ? undefined : (value as string | undefined);
  }

  boolean(name: string): boolean | undefined {
    return (this.#typed(name, 'boolean') as boolean | undefined) || undefined;
  }

  /** base64 */
  bytes(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const text = value.replaceAll(/[\r\n]/g, '');
    if (!BASE64.test(text)) throw new ConfigurationError(`${this.#at(name)} is no base64`);
    return text;
  }

  texts(name: string): string[] | undefined {
    return this.#list(name)?.map((value, index) => this.#text(value, `${this.#at(name)}[${index}]`));
  }

  lists(name: string): Record<string, string[]> | undefined {
    if (!this.has(name)) return undefined;
    const member = this.member(name);
    return Object.fromEntries(Object.keys(member.object).map((key) => [key, member.texts(key) ?? []]));
  }

  textMap(name: string): Record<string, string> | undefined {
    if (!this.has(name)) return undefined;
    const member = this.member(name);
    return Object.fromEntries(Object.entries(member.object).map(([key, value]) => [key, this.#text(value, `${member.#at(key)}`)]));
  }

  list(name: string): ObjectReader[] | undefined {
    return this.#list(name)?.map((value, index) => new ObjectReader(value, `${this.#path}.${name}[${index}]`));
  }

  /** @param type as 1.32 calls it. @throws ConfigurationError if two entries have the same name */
  named<T>(list: string, type: EntryType, member: string, read: (entry: ObjectReader) => T): Map<string, T> {
    const entries = this.list(list) ?? [];
    const found = new Map<string, T>();
    for (const entry of entries) {
      const name = entry.text('name') ?? '';
      if (found.has(name)) {
        const shown = shownEntries(
          type,
          member,
          entries.map(({ object }) => object),
        );
        throw duplicate(`[]Named${type}`, `map[string]*api.${type}`, name, shown);
      }
      found.set(name, read(entry.member(member)));
    }
    return found;
  }

  /** @throws ConfigurationError if two entries have the same name */
  extensions(): { extensions?: Map<string, unknown> } {
    const entries = this.list('extensions') ?? [];
    if (entries.length === 0) return {};
    const found = new Map<string, unknown>();
    for (const entry of entries) {
      const name = entry.text('name') ?? '';
      if (found.has(name))
        throw duplicate('[]NamedExtension', 'map[string]runtime.Object', name, shownExtensions(entries.map(({ object }) => object)));
      found.set(name, entry.object.extension);
    }
    return { extensions: found };
  }

  #typed(name: string, type: 'string' | 'boolean'): unknown {
    const value = this.object[name];
    if (value === null || value === undefined) return undefined;
    if (typeof value !== type) throw new ConfigurationError(`${this.#at(name)} is no ${type === 'string' ? 'text' : 'boolean'}`);
    return value;
  }

  #list(name: string): unknown[] | undefined {
    if (!this.has(name)) return undefined;
    const value = this.object[name];
    if (!Array.isArray(value)) throw new ConfigurationError(`${this.#at(name)} is no list`);
    return value;
  }

  #text(value: unknown, path: string): string {
    if (typeof value !== 'string') throw new ConfigurationError(`${path} is no text`);
    return value;
  }

  #at(name: string): string {
    return `${this.#path}.${name}`.slice(1);
  }
}

function duplicate(list: string, map: string, name: string, shown: string): ConfigurationError {
  return new ConfigurationError(`error converting *${list} into *${map}: duplicate name ${JSON.stringify(name)} in list: ${shown}`);
}
