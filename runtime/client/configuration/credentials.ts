/** Credentials of a configuration. They may change while a client uses them, because files are renewed and programs run again. */
import { authorizationOf, type Credential, type Credentials } from '../transport/connection-settings.ts';
import { CertificateFiles } from './certificate-files.ts';
import { ConfigurationError } from './configuration.ts';
import type { ExecCredential } from './exec-credential.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import type { ResolvedConfiguration } from './resolve.ts';
import { TokenFile } from './token-file.ts';

/** @returns undefined for an anonymous client. @throws ConfigurationError for credentials that exclude each other, and for auth providers, which 1.32 dropped */
export function configuredCredentials(resolved: ResolvedConfiguration, exec: ExecPlugin | undefined): Credentials | undefined {
  const { bearerToken, bearerTokenFile, username, password, certFile, certData, authProvider } = resolved;
  if (authProvider !== undefined) throw new ConfigurationError(`no Auth Provider found for name ${JSON.stringify(authProvider.name)}`);
  const hasBasic = Boolean(username || password);
  // text that was copied from a file ends with a line feed, which no header may contain
  const authorization = authorizationOf(bearerToken?.trim(), basicOf(resolved));
  if (hasBasic && bearerToken) throw new ConfigurationError('username/password or bearer token may be set, but not both');
  const files = certFile || certData ? new CertificateFiles(resolved) : undefined;
  // whoever states credentials wants to be known by them alone, so that no program runs
  if (!bearerToken && !bearerTokenFile && !hasBasic && files === undefined) return exec && new ExecCredentials(exec);
  const tokens = bearerTokenFile ? new TokenFile(bearerTokenFile) : undefined;
  return new FixedCredentials(tokens, authorization, files);
}

function basicOf({ username = '', password = '' }: ResolvedConfiguration) {
  return username === '' && password === '' ? undefined : { username, password };
}

/** Credentials that stand in the configuration or in files that it names. */
class FixedCredentials implements Credentials {
  readonly #tokens: TokenFile | undefined;
  readonly #authorization: string | undefined;
  readonly #certificates: CertificateFiles | undefined;

  constructor(tokens: TokenFile | undefined, authorization: string | undefined, certificates: CertificateFiles | undefined) {
    this.#tokens = tokens;
    this.#authorization = authorization;
    this.#certificates = certificates;
  }

  get(): Credential {
    const authorization = this.#tokens === undefined ? this.#authorization : this.#ofFile(this.#tokens);
    const certificate = this.#certificates?.get();
    return { ...(authorization !== undefined && { authorization }), ...(certificate !== undefined && { certificate }) };
  }

  refused({ authorization }: Credential): boolean {
    if (this.#tokens === undefined) return false;
    this.#tokens.expire();
    return this.#ofFile(this.#tokens) !== authorization;
  }

  /** While the file cannot be read, the token in the configuration itself is used, if there is one. */
  #ofFile(tokens: TokenFile): string | undefined {
    try {
      return authorizationOf(tokens.get(), undefined);
    } catch (error) {
      if (this.#authorization === undefined) throw error;
      return this.#authorization;
    }
  }
}

/** Credentials that a program prints. */
class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin;
  /** the program's credential from which each credential was made that `get` has returned */
  readonly #sources = new WeakMap<Credential, ExecCredential>();

  constructor(plugin: ExecPlugin) {
    this.#plugin = plugin;
  }

  async get(): Promise<Credential> {
    const found = await this.#plugin.get();
    const { certificate } = found;
    const authorization = authorizationOf(found.token, undefined);
    const credential = { ...(authorization !== undefined && { authorization }), ...(certificate !== undefined && { certificate }) };
    this.#sources.set(credential, found);
    return credential;
  }

  refused(credential: Credential): boolean {
    const source = this.#sources.get(credential);
    if (source === undefined) return false;
    this.#plugin.refused(source);
    return true;
  }
}
