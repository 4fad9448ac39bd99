/** Keeps a certificate of the agent and its key in one file, which only its owner can read. A link leads to the current file, as in 1.32. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { pemBlocks } from '../../certificates/pem.ts';
import { writeFileAtomically } from '../../files/atomic-file.ts';
import { readOwnFile } from '../../files/own-file.ts';

export interface StoredCertificate {
  /** PEM: the certificate and its intermediates */
  readonly cert: string;
  /** PEM */
  readonly key: string;
  readonly parsed: X509Certificate;
}

const OWNER_ALONE = 0o600;

export class CertificateStore {
  /** path of the link */
  readonly current: string;
  readonly #folder: string;
  readonly #name: string;

  /**
   * Makes the folder where it is missing.
   * @param name that files begin with, such as `kubelet-client`
   */
  constructor(folder: string, name: string) {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    this.#folder = folder;
    this.#name = name;
    this.current = path.join(folder, `${name}-current.pem`);
  }

  /** @returns undefined if there is no certificate, or it does not fit the key */
  read(): StoredCertificate | undefined {
    if (!existsSync(this.current)) return undefined;
    return pairOf(readOwnFile(this.current));
  }

  /** Replaces the certificate; the one before stays in its file. @throws FileUnwritable, Error of the system, and for what is no pair */
  write(cert: string, key: string): StoredCertificate {
    const pair = pairOf(`${cert.trimEnd()}\n${key}`);
    if (pair === undefined) throw new Error('the certificate that was issued does not fit the key');
    const file = `${this.#name}-${new Date().toISOString().slice(0, 23).replace(/[T:.]/g, '-')}.pem`;
    writeFileAtomically(path.join(this.#folder, file), `${pair.cert}${pair.key}`, OWNER_ALONE);
    const before = this.#linked();
    const link = `${this.current}.new`;
    rmSync(link, { force: true });
    symlinkSync(file, link);
    renameSync(link, this.current);
    this.#forget(new Set([file, before ?? '', path.basename(this.current)]));
    return pair;
  }

  #linked(): string | undefined {
    try {
      return readlinkSync(this.current);
    } catch {
      return undefined;
    }
  }

  /** Removes older files. */
  #forget(kept: ReadonlySet<string>): void {
    for (const name of readdirSync(this.#folder))
      if (name.startsWith(`${this.#name}-`) && name.endsWith('.pem') && !kept.has(name))
        rmSync(path.join(this.#folder, name), { force: true });
  }
}

function pairOf(text: string): StoredCertificate | undefined {
  const blocks = [...pemBlocks(text)];
  const certificates = blocks.filter(({ type }) => type === 'CERTIFICATE').map(({ type, bytes }) => block(type, bytes));
  const key = blocks.find(({ type }) => type.endsWith('PRIVATE KEY'));
  const [first] = certificates;
  if (first === undefined || key === undefined) return undefined;
  try {
    const parsed = new X509Certificate(first);
    const keyText = block(key.type, key.bytes);
    return parsed.checkPrivateKey(createPrivateKey(keyText)) ? { cert: certificates.join(''), key: keyText, parsed } : undefined;
  } catch {
    return undefined;
  }
}

function block(type: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}
