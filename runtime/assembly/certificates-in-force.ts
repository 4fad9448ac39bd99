/**
 * The certificates that a running server uses now: those of its own files, and on an aggregated server also those that the delegating
 * server trusts.
 */
import type { Authenticator } from '../authentication/authenticator.ts';
import type { ServerCertificates } from '../server/listener/serving-certificates.ts';
import type { TrustInForce } from './parts/delegation.ts';
import type { Setup } from './setup/setup.ts';

export class CertificatesInForce {
  #own: ServerCertificates;
  #trust: TrustInForce | undefined;

  constructor(own: ServerCertificates) {
    this.#own = own;
  }

  /** The server's own certificates, without what the delegating server adds. */
  get own(): ServerCertificates {
    return this.#own;
  }

  get current(): ServerCertificates {
    return this.#trust?.certificates() ?? this.#own;
  }

  /**
   * Asks the delegating server which client certificates are trusted, unless flags say all of that.
   * @throws Error if the delegating server does not say it and flags do not tolerate that
   */
  async askOtherServer(setup: Setup, featureEnabled: (gate: string) => boolean, authenticator: Authenticator): Promise<void> {
    const { trustInForce } = await import('./parts/delegation.ts');
    this.#trust = await trustInForce(setup, featureEnabled, () => this.#own);
    if (this.#trust !== undefined) this.applyTo(authenticator);
  }

  /** Makes the authenticator check client certificates and proxies against the current certificates. */
  applyTo(authenticator: Authenticator): void {
    authenticator.trust(this.current, this.#trust?.proxyRules());
  }

  /**
   * Follows the delegating server and the server's own files.
   * @param changed called after each change; where it throws, it is called again with what was there before
   * @returns a function that stops following the files
   */
  follow(setup: Setup, changed: () => void): Promise<() => void> {
    this.#trust?.onChange(changed);
    const own = { files: this.#own.files, reread: (file: string) => this.#own.reread(file) };
    return followFiles(own, setup, (read) => this.#replace(read, changed));
  }

  /**
   * Renews the server's own certificates once it is time.
   * @param makes whether this process makes them; see `ServerCertificates.renew`
   * @param changed as of `follow`
   * @returns whether they are others now. It rejects where they can be neither read nor made, or not be used
   */
  async renew(makes: boolean, changed: () => void, now = Date.now()): Promise<boolean> {
    const before = this.#own;
    if (now < before.renewal) return false;
    const renewed = await before.renew(makes);
    // a file that has changed meanwhile is not to be lost: the next look renews what came of it
    if (renewed === undefined || this.#own !== before) return false;
    this.#replace(renewed, changed);
    return true;
  }

  #replace(own: ServerCertificates, changed: () => void): void {
    const before = this.#own;
    try {
      this.#own = own;
      changed();
    } catch (error) {
      this.#own = before;
      changed();
      throw error;
    }
  }

  /** Stops following the delegating server. */
  async close(): Promise<void> {
    await this.#trust?.close();
  }
}

/**
 * Reads certificates again when their files change. The code that watches files is loaded only if there are any.
 * @returns a function that stops watching
 */
export async function followFiles<T>(
  certificates: { readonly files: readonly string[]; reread(file: string): T },
  { log, followedFiles }: Pick<Setup, 'log' | 'followedFiles'>,
  changed: (certificates: T) => void,
): Promise<() => void> {
  if (certificates.files.length === 0) return () => {};
  const { followCertificateFiles } = await import('../server/certificates/certificate-files.ts');
  return followCertificateFiles(certificates, changed, log, followedFiles);
}
