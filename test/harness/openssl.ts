/** Certificates made by the openssl command: authorities and leaves as an administrator would make them, in a folder of the test's own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface MadeCertificate {
  /** paths of PEM files */
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly certificate: string;
  readonly key: string;
}

export interface LeafOptions {
  /** such as `/CN=bob/O=dev` */
  readonly subject: string;
  readonly issuer: MadeCertificate;
  /** extended key usage; client authentication by default, '' for none */
  readonly usage?: string;
  /** it may sign certificates itself */
  readonly authority?: boolean;
  /** host name or address that it serves */
  readonly host?: string;
  /** of its signature, such as `sha1`; sha256 by default */
  readonly digest?: string;
  /** how long it is valid from now; 10 by default, less than 0 for one that has expired */
  readonly days?: number;
  /** further ones, as files of openssl have them */
  readonly extensions?: readonly string[];
}

export class OpenSsl {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'cluster-certificates-'));
  #count = 0;

  constructor() {
    process.once('exit', () => this.remove());
  }

  /** A self-signed authority. */
  authority(name: string): MadeCertificate {
    const { keyFile, certificateFile } = this.#files();
    const extensions = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
    this.#run([
      'req',
      '-x509',
      ...NEW_KEY,
      '-keyout',
      keyFile,
      '-out',
      certificateFile,
      '-subj',
      `/CN=${name}`,
      '-days',
      '30',
      ...extensions,
    ]);
    return made(certificateFile, keyFile);
  }

  leaf({
    subject,
    issuer,
    usage = 'clientAuth',
    authority = false,
    host,
    digest = 'sha256',
    days = 10,
    extensions: further = [],
  }: LeafOptions): MadeCertificate {
    const { keyFile, certificateFile, requestFile, extensionsFile } = this.#files();
    this.#run(['req', ...NEW_KEY, '-keyout', keyFile, '-out', requestFile, '-subj', subject]);
    const extensions = [`basicConstraints=critical,CA:${authority ? 'TRUE' : 'FALSE'}`, ...further];
    if (usage !== '' && !authority) extensions.push(`extendedKeyUsage=${usage}`);
    if (host !== undefined) extensions.push(`subjectAltName=${/^[\d.]+$/.test(host) ? 'IP' : 'DNS'}:${host}`);
    writeFileSync(extensionsFile, extensions.join('\n'));
    const signer = ['-CA', issuer.certificateFile, '-CAkey', issuer.keyFile];
    const validity = ['-days', String(days), `-${digest}`];
    this.#run(['x509', '-req', '-in', requestFile, '-out', certificateFile, ...signer, ...validity, '-extfile', extensionsFile]);
    return made(certificateFile, keyFile);
  }

  /** A request for a certificate, with a new key. @returns PEM in base64, as an object holds it */
  signingRequest(subject: string): string {
    const { keyFile, requestFile } = this.#files();
    this.#run(['req', ...NEW_KEY, '-keyout', keyFile, '-out', requestFile, '-subj', subject]);
    return readFileSync(requestFile, 'base64');
  }

  /** A file in the folder, replaced as a whole: a server that follows it reads no part of a text. @returns its path */
  write(name: string, text: string): string {
    const file = path.join(this.folder, name);
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    return file;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #files() {
    const stem = path.join(this.folder, String(this.#count++));
    return { keyFile: `${stem}.key`, certificateFile: `${stem}.crt`, requestFile: `${stem}.csr`, extensionsFile: `${stem}.ext` };
  }

  #run(command: readonly string[]): void {
    execFileSync('openssl', command, { stdio: ['ignore', 'ignore', 'pipe'], timeout: 30_000 });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function made(certificateFile: string, keyFile: string): MadeCertificate {
  return { certificateFile, keyFile, certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}
