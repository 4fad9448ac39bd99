/** Certificates that are chosen by the name that a client asks for (--tls-sni-cert-key), with the rules of 1.32. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { CertificateAndKey } from './certificate-request.ts';

export interface NamedCertificate extends CertificateAndKey {
  /** the names that the certificate is for, in lower case; a first part `*` stands for any. Absent for the names in the certificate */
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
  const names = rest.split(',').map((name) => name.trim().toLowerCase());
  // RFC 6066 section 3: no client asks for an address by name.
  const address = names.find((name) => isIP(name) !== 0);
  if (address !== undefined) throw new Error(`${address} is an address: certificates are chosen by names alone`);
  return { certificateFile, keyFile, names };
}

type SniCallback = (name: string, choose: (error: Error | null, context?: SecureContext) => void) => void;

/**
 * Chooses by exact names before wildcards; names that were given come before those of certificates, earlier certificates before later ones.
 * Connections that ask for another name, or for none, get the certificate of the listener itself.
 * @param common for all contexts. @throws Error of TLS for a certificate that is not one
 */
export function namedContexts(certificates: readonly NamedCertificate[], common: SecureContextOptions): SniCallback {
  const byName = new Map<string, SecureContext>();
  const contexts = certificates.map((each) => ({
    ...each,
    context: createSecureContext({ ...common, cert: each.certificate, key: each.key }),
  }));
  const add = (names: readonly string[], context: SecureContext): void => {
    for (const name of names) if (!byName.has(name)) byName.set(name, context);
  };
  for (const { names, context } of contexts) add(names ?? [], context);
  for (const { names, certificate, context } of contexts) if (names === undefined) add(namesOf(new X509Certificate(certificate)), context);
  return (asked, choose) => {
    const name = asked.toLowerCase();
    choose(null, byName.get(name) ?? byName.get(name.replace(/^[^.]*/, '*')));
  };
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
