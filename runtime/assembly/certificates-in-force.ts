/** The certificates that a running server uses now: its own, as files have them, and on an aggregated server what the other server says besides. */
import type { Authenticator } from '../authentication/authenticator.ts';
import type { ServerCertificates } from '../server/serving-certificates.ts';
import type { TrustInForce } from './delegation.ts';
import type { Setup } from './setup.ts';

export class CertificatesInForce {
  #own: ServerCertificates;
  #trust: TrustInForce | undefined;

  constructor(own: ServerCertificates) {
    this.#own = own;
  }

  /** The server's own, without what another server says. */
  get own(): ServerCertificates {
    return this.#own;
  }

  get current(): ServerCertificates {
    return this.#trust?.certificates() ?? this.#own;
  }

  /**
   * Asks the server that delegates to this one which client certificates count, where flags do not say all of that.
   * @throws Error where the other server does not say it, and flags do not tolerate that
   */
  async askOtherServer(setup: Setup, featureEnabled: (gate: string) => boolean, authenticator: Authenticator): Promise<void> {
    const { trustInForce } = await import('./delegation.ts');
    this.#trust = await trustInForce(setup, featureEnabled, () => this.#own);
    if (this.#trust !== undefined) this.applyTo(authenticator);
  }

  /** Has client certificates and proxies held against what is in force now. */
  applyTo(authenticator: Authenticator): void {
    authenticator.trust(this.current, this.#trust?.proxyRules());
  }

  /**
   * Follows the other server, and the server's own files.
   * @param changed called after each change
   * @returns ends following the files
   */
  follow(setup: Setup, changed: () => void): Promise<() => void> {
    this.#trust?.onChange(changed);
    return followFiles(this.#own, setup, (renewed) => {
      this.#own = renewed;
      changed();
    });
  }

  /** Ends following the other server. */
  async close(): Promise<void> {
    await this.#trust?.close();
  }
}

/** Reads certificates again when their files change. What watches files is loaded where flags name some. @returns ends it */
export async function followFiles<T>(
  certificates: { readonly files: readonly string[]; reread(): T },
  { log, followedFiles }: Pick<Setup, 'log' | 'followedFiles'>,
  changed: (certificates: T) => void,
): Promise<() => void> {
  if (certificates.files.length === 0) return () => {};
  const { followCertificateFiles } = await import('../server/certificate-files.ts');
  return followCertificateFiles(certificates, changed, log, followedFiles);
}
