/** Credentials of a configuration, which may change while a client uses them. */
import { authorizationOf, type Credential, type Credentials } from '../transport/connection-settings.ts';
import { CertificateFiles } from './certificate-files.ts';
import { ConfigurationError } from './configuration.ts';
import type { ExecCredential } from './exec-credential.ts';
import type { ExecPlugin } from './exec-plugin.ts';
import type { ResolvedConfiguration } from './resolve.ts';
import { TokenFile } from './token-file.ts';

/** @throws ConfigurationError for credentials that exclude each other, or that nobody has a way to get */
export function configuredCredentials(resolved: ResolvedConfiguration, exec: ExecPlugin | undefined): Credentials | undefined {
  const { bearerToken, bearerTokenFile, username, password, certFile, certData, authProvider } = resolved;
  if (authProvider !== undefined) throw new ConfigurationError(`no Auth Provider found for name ${JSON.stringify(authProvider.name)}`);
  const hasBasic = Boolean(username || password);
  // a file's text ends with a line, which no header can have
  const authorization = authorizationOf(bearerToken?.trim(), basicOf(resolved));
  if (hasBasic && bearerToken) throw new ConfigurationError('username/password or bearer token may be set, but not both');
  const files = certFile || certData ? new CertificateFiles(resolved) : undefined;
  if (exec !== undefined) return new ExecCredentials(exec, files, authorization);
  if (!bearerToken && !bearerTokenFile && !hasBasic && files === undefined) return undefined;
  const tokens = bearerTokenFile ? new TokenFile(bearerTokenFile) : undefined;
  return new FixedCredentials(tokens, authorization, files);
}

function basicOf({ username = '', password = '' }: ResolvedConfiguration) {
  return username === '' && password === '' ? undefined : { username, password };
}

/** Of the configuration itself, and of files that it names. */
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

  /** A token that the configuration states itself counts while the file cannot be read. */
  #ofFile(tokens: TokenFile): string | undefined {
    try {
      return authorizationOf(tokens.get(), undefined);
    } catch (error) {
      if (this.#authorization === undefined) throw error;
      return this.#authorization;
    }
  }
}

/** Of a program. What the configuration states itself counts before what the program says. */
class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin;
  readonly #certificates: CertificateFiles | undefined;
  readonly #authorization: string | undefined;
  /** of which credential of the program those are that were handed out */
  readonly #sources = new WeakMap<Credential, ExecCredential>();

  constructor(plugin: ExecPlugin, certificates: CertificateFiles | undefined, authorization: string | undefined) {
    this.#plugin = plugin;
    this.#certificates = certificates;
    this.#authorization = authorization;
  }

  async get(): Promise<Credential> {
    const found = await this.#plugin.get();
    const authorization = this.#authorization ?? authorizationOf(found.token, undefined);
    const certificate = this.#certificates?.get() ?? found.certificate;
    const credential = { ...(authorization !== undefined && { authorization }), ...(certificate !== undefined && { certificate }) };
    this.#sources.set(credential, found);
    return credential;
  }

  refused(credential: Credential): boolean {
    const source = this.#sources.get(credential);
    if (source === undefined || this.#authorization !== undefined) return false;
    this.#plugin.refused(source);
    return true;
  }
}
