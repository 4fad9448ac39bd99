import { parseCertificate } from './certificate-chain.ts';
import { pemSlices } from './pem.ts';

/**
 * Why nobody can be trusted by a bundle of authorities.
 * @param base64 of the bundle in PEM
 * @returns undefined where it has a certificate
 */
export function authoritiesProblem(base64: string): string | undefined {
  const slices = authoritiesProblemSlices(base64);
  for (let next = slices.next(); ; next = slices.next()) if (next.done === true) return next.value;
}

/** The same for a bundle that may be long, between whose pieces the caller does what it wants. */
export function* authoritiesProblemSlices(base64: string): Generator<void, string | undefined, void> {
  let malformed = false;
  let count = 0;
  for (const block of pemSlices(Buffer.from(base64, 'base64').toString('latin1'))) {
    yield;
    if (block === undefined) continue;
    count++;
    if (block.type !== 'CERTIFICATE' || block.hasHeaders) continue;
    if (parseCertificate(block.bytes) !== undefined) return undefined;
    malformed = true;
  }
  if (malformed) return 'failed to parse certificate: x509: malformed certificate';
  return count === 0 ? 'unable to parse bytes as PEM block' : 'no valid certificate authority data seen';
}
