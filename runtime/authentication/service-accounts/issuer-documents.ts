/** What others need to check our tokens by themselves (OpenID Connect discovery): who issues them, and the public keys. Both are JSON. */
import type { PublishedKeys } from './token-signer.ts';

export interface IssuerDocuments {
  readonly configuration: string;
  readonly keys: string;
  /** seconds for which others may go by them */
  readonly maxAge: number;
}

/**
 * @param keysUri address of the keys
 * @returns undefined where the issuer is no https address, which discovery needs
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
