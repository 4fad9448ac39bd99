/** Reads the authorities by which a server is trusted. Text without any is refused here, because otherwise every connection would fail later. */
import { X509Certificate } from 'node:crypto';
import { pem } from './certificate-files.ts';
import { ConfigurationError } from './configuration.ts';

/**
 * @param data base64, which counts before the file
 * @returns PEM of all certificates; other blocks and text are left out
 * @throws ConfigurationError in the words of 1.32 if the file cannot be read or there is no certificate
 */
export function authorityOf(data: string | undefined, file: string | undefined): string {
  const text = pem(data, file);
  const blocks = text.split(BEGIN).slice(1);
  const certificates = blocks.filter(isCertificate);
  if (certificates.length === 0) throw new ConfigurationError(`unable to load root certificates: ${problemOf(blocks)}`);
  // Node stops reading at the first block that is not a certificate
  return certificates.length === blocks.length ? text : certificates.map((block) => BEGIN + block).join('\n');
}

const BEGIN = '-----BEGIN ';
const CERTIFICATE = 'CERTIFICATE-----';

function problemOf(blocks: readonly string[]): string {
  if (!blocks.some((block) => /^[^-\r\n]+-----\r?\n/.test(block))) return 'unable to parse bytes as PEM block';
  if (!blocks.some((block) => block.startsWith(CERTIFICATE))) return 'no valid certificate authority data seen';
  return 'failed to parse certificate: x509: malformed certificate';
}

/** @param block of PEM without `BEGIN` */
function isCertificate(block: string): boolean {
  if (!block.startsWith(CERTIFICATE)) return false;
  try {
    void new X509Certificate(BEGIN + block);
    return true;
  } catch {
    return false;
  }
}
