/** What others need to check our tokens by themselves (OpenID Connect discovery): who issues them, and the public keys. Both are JSON. */
import type { TokenKey } from './keys.ts';

/**
 * @param keysUri address of the keys
 * @returns undefined where the issuer is no https address, which discovery needs
 */
export function issuerConfiguration(issuer: string, keysUri: string, keys: readonly TokenKey[]): string | undefined {
  if (!/^https:\/\/[^/?#]/.test(issuer)) return undefined;
  return JSON.stringify({
    issuer,
    jwks_uri: keysUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ algorithm }) => algorithm))].sort(),
  });
}

export function publicKeys(keys: readonly TokenKey[]): string {
  return JSON.stringify({ keys: keys.map(webKey) });
}

function webKey({ id, algorithm, publicKey }: TokenKey): object {
  const { kty, ...parameters } = publicKey.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: id, alg: algorithm, ...parameters };
}
