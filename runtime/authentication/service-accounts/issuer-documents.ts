/**
 * Makes the two JSON documents with which others can verify this server's tokens by themselves (OpenID Connect discovery): its configuration as an issuer, and
 * its public keys.
 */
import type { PublishedKeys } from './token-signer.ts';

export interface IssuerDocuments {
  readonly configuration: string;
  readonly keys: string;
  /** seconds for which others may cache the documents */
  readonly maxAge: number;
}

/**
 * @param keysUri the address at which the server answers with the public keys
 * @returns undefined if the issuer's name is not an https address, which discovery requires
 */
export function issuerDocuments(
  issuer: string,
  keysUri: string,
  { document, algorithms, maxAge }: PublishedKeys,
): IssuerDocuments | undefined {
  if (!/^https:\/\/[^/?#]/.test(issuer)) return undefined;
  const configuration = JSON.stringify({
    issuer,
    jwks_uri: keysUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: algorithms,
  });
  return { configuration, keys: document, maxAge };
}
