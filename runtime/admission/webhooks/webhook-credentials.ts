/** Finds the credentials for asking webhooks: users of a client configuration whose names are hosts of webhooks. */
import path from 'node:path';
import { type Configuration, ConfigurationError, EMPTY_CONFIGURATION } from '../../client/configuration/configuration.ts';
import { readConfiguration } from '../../client/configuration/configuration-object.ts';
import { connectionOf } from '../../client/configuration/connection.ts';
import { resolvePaths } from '../../client/configuration/paths.ts';
import { resolveConfiguration } from '../../client/configuration/resolve.ts';
import type { Identity } from '../../contract/identity.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import type { Peer } from '../../outbound/exchange.ts';
import { type WebhookPlace, webhookHost } from '../../outbound/webhook-client.ts';

type Credentials = Pick<Peer, 'credentials' | 'impersonate'>;

export class WebhookCredentials {
  readonly #configuration: Configuration;
  readonly #identity: Pick<Identity, 'text'>;

  constructor(configuration: Configuration, identity: Pick<Identity, 'text'>) {
    this.#configuration = configuration;
    this.#identity = identity;
  }

  /** Returns the credentials of the user whose name matches a webhook's host best, by the rules of 1.32. @throws ConfigurationError */
  of(place: WebhookPlace): Credentials {
    const name = this.#userFor(webhookHost(place));
    return name === undefined ? {} : this.#ofUser(name);
  }

  /** @throws ConfigurationError */
  #ofUser(name: string): Credentials {
    const resolved = resolveConfiguration(
      { ...EMPTY_CONFIGURATION, users: this.#configuration.users },
      { identity: this.#identity, overrides: { context: { user: name }, clusterDefaults: { server: ANY_SERVER } } },
    );
    // nobody sits at a server
    const { credentials, impersonate } = connectionOf(resolved, { identity: this.#identity, stdinUnavailable: '' });
    return { ...(credentials && { credentials }), ...(impersonate && { impersonate }) };
  }

  /** Asks for the credentials of each user, which tells what is wrong with them. @throws ConfigurationError */
  check(): void {
    for (const name of this.#configuration.users.keys()) this.#ofUser(name);
  }

  /**
   * Finds the user for a host. Names with the port come before names without it, which count only for the usual port; the host itself comes before its domains;
   * after all of these come the user `*`, and then the user of the current context.
   */
  #userFor(host: string): string | undefined {
    const { users, contexts, currentContext } = this.#configuration;
    const hosts = host.endsWith(HTTPS) ? [host, host.slice(0, -HTTPS.length)] : [host];
    const named = [...hosts.flatMap(namesFor), '*'].find((name) => users.has(name));
    if (named !== undefined) return named;
    const current = contexts.get(currentContext)?.user;
    return current !== undefined && users.has(current) ? current : undefined;
  }
}

const HTTPS = ':443';
/** Credentials alone are wanted, and these are read for servers of https. */
const ANY_SERVER = 'https://webhook';

/** Lists the names of users that match a host, such as `a.b.c`, `*.b.c` and `*.c`. */
function namesFor(host: string): string[] {
  const steps = host.split('.');
  return [host, ...steps.slice(1).map((_, index) => `*.${steps.slice(index + 1).join('.')}`)];
}

export interface CredentialParts {
  readonly identity: Identity;
  readonly fileKinds: () => Promise<FileKinds>;
}

/** Names that 1.32 has for it, by version. */
const KINDS: Readonly<Record<string, string>> = {
  'apiserver.config.${groupDomain}/v1': 'WebhookAdmissionConfiguration',
  'apiserver.config.${groupDomain}/v1alpha1': 'WebhookAdmission',
};

/**
 * @param value a WebhookAdmissionConfiguration
 * @param file where it stands
 * @returns undefined where it names no client configuration
 * @throws FileError that says what is wrong with either
 */
export async function readWebhookCredentials(
  value: unknown,
  file: string,
  { identity, fileKinds }: CredentialParts,
): Promise<WebhookCredentials | undefined> {
  const { kubeConfigFile } = checked(value, file, identity);
  if (kubeConfigFile === '') return undefined;
  const { object } = await (await fileKinds()).read(kubeConfigFile, { group: '', kind: 'Config' });
  try {
    const credentials = new WebhookCredentials(resolvePaths(readConfiguration(object, kubeConfigFile)), identity);
    credentials.check();
    return credentials;
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof TypeError) throw new FileError(kubeConfigFile, [error.message]);
    throw error;
  }
}

function checked(value: unknown, file: string, { text }: Identity): { kubeConfigFile: string } {
  const { apiVersion, kind, kubeConfigFile = '', ...others } = (value ?? {}) as Record<string, unknown>;
  const known = Object.entries(KINDS).map(([version, name]) => ({ apiVersion: text(version), kind: name }));
  if (!known.some((each) => each.apiVersion === apiVersion && each.kind === kind)) {
    const wanted = known.map((each) => `${each.kind} of ${each.apiVersion}`).join(' or ');
    throw new FileError(file, [`configuration of webhooks: ${String(kind)} of ${String(apiVersion)} is no ${wanted}`]);
  }
  const unknown = Object.keys(others);
  if (unknown.length > 0)
    throw new FileError(
      file,
      unknown.map((name) => `configuration of webhooks: unknown field ${JSON.stringify(name)}`),
    );
  if (typeof kubeConfigFile !== 'string' || (kubeConfigFile !== '' && !path.isAbsolute(kubeConfigFile)))
    throw new FileError(file, [`kubeConfigFile: Invalid value: ${JSON.stringify(kubeConfigFile)}: must be an absolute file path`]);
  return { kubeConfigFile };
}
