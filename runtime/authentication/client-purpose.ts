/** Whom a certificate is for, as 1.32 sees it: OpenSSL also asks whether its key may sign, and takes none that is for any use. */
import type { X509Certificate } from 'node:crypto';
import { elements, members, OBJECT_IDENTIFIER, SEQUENCE } from '../certificates/der.ts';

const CLIENTS = '1.3.6.1.5.5.7.3.2';
const ANY_USE = '2.5.29.37.0';

/** What certificates that sign others may be for. */
export function mayIssueForClients({ keyUsage }: X509Certificate): boolean {
  return keyUsage === undefined || keyUsage.includes(CLIENTS);
}

export function isForClients(certificate: X509Certificate): boolean {
  return mayIssueForClients(certificate) || certificate.keyUsage.includes(ANY_USE);
}

/** Subject alternative names, basic constraints, uses of the key, and extended ones, in DER. */
const UNDERSTOOD: ReadonlySet<string> = new Set(['551d11', '551d13', '551d0f', '551d25']);
const BOOLEAN = 0x01;
/** Of the members of a certificate, the one with the extensions. */
const EXTENSIONS = 0xa3;

/** Whether all extensions that nobody may pass over are among those that a client's certificate has. */
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
