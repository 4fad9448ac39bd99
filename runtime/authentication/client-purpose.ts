/** Whether a certificate is for clients, by the rules of 1.32. OpenSSL's rules differ: it also requires that the key may sign, and refuses certificates for any use. */
import type { X509Certificate } from 'node:crypto';
import { elements, members, OBJECT_IDENTIFIER, SEQUENCE } from '../certificates/der.ts';

const CLIENTS = '1.3.6.1.5.5.7.3.2';
const ANY_USE = '2.5.29.37.0';

/** Whether an issuer's extended key usages, if it has any, allow it to sign client certificates. */
export function mayIssueForClients({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.includes(CLIENTS);
}

export function isForClients(certificate: X509Certificate): boolean {
  return mayIssueForClients(certificate) || certificate.keyUsage.includes(ANY_USE);
}

/** Identifiers, in DER, of subject alternative name, basic constraints, key usage and extended key usage. */
const UNDERSTOOD: ReadonlySet<string> = new Set(['551d11', '551d13', '551d0f', '551d25']);
const BOOLEAN = 0x01;
/** DER tag of the member of a certificate that has the extensions. */
const EXTENSIONS = 0xa3;

/** Whether all critical extensions of a certificate are known here. */
export function isUnderstood({ raw }: X509Certificate): boolean {
  try {
    const [signed] = members(elements(raw)[0], SEQUENCE);
    const extensions = members(signed).find(({ tag }) => tag === EXTENSIONS);
    if (extensions === undefined) return true;
    return members(elements(extensions.content)[0]).every((extension) => {
      const [name, critical] = members(extension, OBJECT_IDENTIFIER);
      return critical?.tag !== BOOLEAN || critical.content[0] === 0 || UNDERSTOOD.has(name?.content.toString('hex') ?? '');
    });
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
