import { X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/** The certificates of a text in PEM. What is around them is passed over, as are blocks with headers. @throws Error of OpenSSL for one that is none */
export function certificatesIn(text: string): X509Certificate[] {
  const blocks = [...pemBlocks(text)].filter(({ type, hasHeaders }) => type === 'CERTIFICATE' && !hasHeaders);
  return blocks.map(({ bytes }) => new X509Certificate(bytes));
}
