/** A client certificate and its key in files that somebody else renews. */
import { statSync } from 'node:fs';
import type { ClientCertificate } from '../transport/connection-settings.ts';
import { ConfigurationError } from './configuration.ts';
import { readCredentialFile } from './credential-file.ts';
import { systemText } from './system-text.ts';

/** Milliseconds between two looks at whether the files have changed. */
const FRESH = 1_000;

/** Where a certificate and its key are. Data takes precedence over files. */
export interface CertificatePlace {
  readonly certFile?: string | undefined;
  /** base64 */
  readonly certData?: string | undefined;
  readonly keyFile?: string | undefined;
  /** base64 */
  readonly keyData?: string | undefined;
}

export class CertificateFiles {
  readonly #place: CertificatePlace;
  #pair: ClientCertificate | undefined;
  #state = '';
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(place: CertificatePlace) {
    this.#place = place;
  }

  /** If a file cannot be read, for instance while it is replaced, the former pair stays. @throws ConfigurationError if there is no former pair */
  get(): ClientCertificate {
    if (this.#pair !== undefined && performance.now() - this.#lookedAt < FRESH) return this.#pair;
    this.#lookedAt = performance.now();
    const { certFile, certData, keyFile, keyData } = this.#place;
    try {
      const state = [certData ? '' : stateOf(certFile), keyData ? '' : stateOf(keyFile)].join(' ');
      if (this.#pair !== undefined && state === this.#state) return this.#pair;
      this.#pair = { cert: pem(certData, certFile), key: pem(keyData, keyFile) };
      this.#state = state;
    } catch (error) {
      if (this.#pair === undefined) throw error;
    }
    return this.#pair;
  }
}

/** @throws ConfigurationError if the file cannot be read */
export function pem(data: string | undefined, file: string | undefined): string {
  if (data) return Buffer.from(data, 'base64').toString();
  return reading(file ?? '', readCredentialFile);
}

function stateOf(file = ''): string {
  return reading(file, (place) => {
    const { mtimeMs, size, ino } = statSync(place);
    return `${mtimeMs} ${size} ${ino}`;
  });
}

function reading<T>(file: string, read: (file: string) => T): T {
  try {
    return read(file);
  } catch (error) {
    throw new ConfigurationError(systemText(error, file), { cause: error });
  }
}
