/** The certificate by which other API servers know this one. It is read again when its files change. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFlagFile } from '../files/flag-file.ts';
import type { FollowedFiles } from '../files/followed-files.ts';
import type { Log } from '../observability/log.ts';

export interface ClientCertificate {
  /** PEM, with its intermediates */
  readonly cert: string;
  /** PEM */
  readonly key: string;
}

export interface ClientCertificateFlags {
  readonly 'proxy-client-cert-file': string;
  readonly 'proxy-client-key-file': string;
}

/** Milliseconds between readings of the files at most. */
const INTERVAL = 60_000;

export class ProxyClientCertificate {
  readonly #flags: ClientCertificateFlags;
  #current: ClientCertificate | undefined;

  /** @throws Error that names the flag whose file cannot be read or does not fit */
  constructor(flags: ClientCertificateFlags) {
    this.#flags = flags;
    this.#current = read(flags);
  }

  /** undefined where no flag names one */
  get current(): ClientCertificate | undefined {
    return this.#current;
  }

  /** Reads the files again when they change. A file that is wrong leaves the certificate as it is. @returns ends it */
  async follow(log: Pick<Log, 'info' | 'error'>, followedFiles: FollowedFiles): Promise<() => void> {
    if (this.#current === undefined) return () => {};
    const { watchFiles } = await import('../files/file-watches.ts');
    return watchFiles([this.#flags['proxy-client-cert-file'], this.#flags['proxy-client-key-file']], {
      interval: INTERVAL,
      followedFiles,
      changed: (file) => {
        this.#current = read(this.#flags);
        log.info({ file }, 'the certificate for other API servers has been read again');
      },
      failed: (error, file) => log.error({ err: error, file }, 'the new certificate for other API servers is not used'),
    });
  }
}

/** @throws Error that names the flag */
function read(flags: ClientCertificateFlags): ClientCertificate | undefined {
  const { 'proxy-client-cert-file': certificateFile, 'proxy-client-key-file': keyFile } = flags;
  if ((certificateFile === '') !== (keyFile === ''))
    throw new Error('--proxy-client-cert-file and --proxy-client-key-file need each other');
  if (certificateFile === '') return undefined;
  const [cert, key] = [readFlagFile('proxy-client-cert-file', certificateFile), readFlagFile('proxy-client-key-file', keyFile)];
  const parsed = holding(`--proxy-client-cert-file: ${certificateFile}`, 'certificate', () => new X509Certificate(cert));
  const secret = holding(`--proxy-client-key-file: ${keyFile}`, 'private key', () => createPrivateKey(key));
  if (!parsed.checkPrivateKey(secret)) throw new Error('--proxy-client-key-file: the key is not that of --proxy-client-cert-file');
  return { cert, key };
}

function holding<T>(where: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${where} holds no ${what} in PEM form`, { cause: error });
  }
}
