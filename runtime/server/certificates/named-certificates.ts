/** Certificates that are chosen by the name that a client asks for (--tls-sni-cert-key), with the rules of 1.32. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { CertificateAndKey } from './certificate-request.ts';

export interface NamedCertificate extends CertificateAndKey {
  /**
   * the names that the certificate is for, in lower case; a first part `*` stands for any, and an address for connections that came to it and ask for no name.
   * Absent for the names in the certificate
   */
  readonly names?: readonly string[];
}

/** The files of a certificate, and the names that it is for. */
export interface NamedFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly names?: readonly string[];
}

/** @param text such as `server.crt,server.key:api.example,*.api.example`. @throws Error */
export function parseNamedFiles(text: string): NamedFiles {
  const colon = text.indexOf(':');
  const [files, rest] = colon === -1 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
  const [certificateFile = '', keyFile = '', ...others] = files.split(',').map((file) => file.trim());
  if (certificateFile === '' || keyFile === '' || others.length > 0)
    throw new Error('expected comma separated certificate and key file paths');
  if (rest === undefined) return { certificateFile, keyFile };
  if (rest.trim() === '') throw new Error('empty names list is not allowed');
  return { certificateFile, keyFile, names: rest.split(',').map((name) => name.trim().toLowerCase()) };
}

/** An IPv4 address as a socket tells it that takes connections of both families. */
const MAPPED = /^::ffff:(?=\d+\.)/;

/** The certificates of a listener besides its own. */
export class NamedContexts {
  readonly #byName = new Map<string, SecureContext>();
  readonly #byAddress = new Map<string, CertificateAndKey>();
  readonly #all: readonly { readonly leaf: X509Certificate; readonly context: SecureContext }[];
  readonly #own: X509Certificate | undefined;

  /** @param own PEM text of the listener's own certificate. @param common for all contexts. @throws Error of TLS for a certificate that is not one */
  constructor(certificates: readonly NamedCertificate[], own: string, common: SecureContextOptions) {
    const contexts = certificates.map((each) => ({
      ...each,
      leaf: new X509Certificate(each.certificate),
      context: createSecureContext({ ...common, cert: each.certificate, key: each.key }),
    }));
    for (const { names, ...each } of contexts) this.#add(names ?? [], each);
    for (const { names, ...each } of contexts) if (names === undefined) this.#add(namesOf(each.leaf), each);
    this.#all = contexts;
    this.#own = contexts.length > 0 ? new X509Certificate(own) : undefined;
  }

  #add(names: readonly string[], { certificate, key, context }: CertificateAndKey & { readonly context: SecureContext }): void {
    for (const name of names) {
      if (!this.#byName.has(name)) this.#byName.set(name, context);
      if (isIP(name) !== 0 && !this.#byAddress.has(name)) this.#byAddress.set(name, { certificate, key });
    }
  }

  /** Whether connections to some addresses get another certificate than the listener's own. */
  get hasAddresses(): boolean {
    return this.#byAddress.size > 0;
  }

  /**
   * Chooses by exact names before wildcards; names that were given come before those of certificates, earlier certificates before later ones. A certificate whose names
   * were given is also for its own names, where the listener's certificate is not for them.
   */
  byName(asked: string): SecureContext | undefined {
    const name = asked.toLowerCase();
    return this.#byName.get(name) ?? this.#byName.get(name.replace(/^[^.]*/, '*')) ?? this.#supporting(name);
  }

  #supporting(name: string): SecureContext | undefined {
    const isFor = (leaf: X509Certificate | undefined): boolean => leaf?.checkHost(name, { subject: 'never' }) !== undefined;
    return isFor(this.#own) ? undefined : this.#all.find(({ leaf }) => isFor(leaf))?.context;
  }

  /** @param address to which a connection came that asks for no name, as its socket tells it */
  byAddress(address: string | undefined): CertificateAndKey | undefined {
    return address === undefined ? undefined : this.#byAddress.get(address.replace(MAPPED, ''));
  }
}

const DNS_NAME = /^(\*|(\*\.)?[a-z\d]([-a-z\d]*[a-z\d])?(\.[a-z\d]([-a-z\d]*[a-z\d])?)*)$/;
const DNS = 'DNS:';

/** Its common name, where that is a name of a host, and its alternative names; addresses are never asked for by name. */
function namesOf(certificate: X509Certificate): string[] {
  const { CN } = certificate.toLegacyObject().subject as { CN?: string | readonly string[] };
  const alternatives = (certificate.subjectAltName ?? '').split(', ').filter((each) => each.startsWith(DNS));
  const names = [...[CN ?? []].flat(), ...alternatives.map((each) => each.slice(DNS.length))].map((name) => name.toLowerCase());
  return names.filter((name) => isIP(name) === 0 && DNS_NAME.test(name));
}
