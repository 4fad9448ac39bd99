/** Issues the tokens of service accounts, as JSON web tokens. */
import type { ApiObject } from '../../contract/object.ts';
import type { Payload } from '../json-web-token.ts';
import { serviceAccountUserName } from '../service-account-names.ts';
import { BOUND_CLAIM, type BoundClaims, LEGACY_ISSUER, legacyClaimNames, referenceTo } from './claims.ts';
import { issuerConfiguration, publicKeys } from './issuer-documents.ts';
import type { TokenKeys } from './keys.ts';
import type { TokenIssuer, TokenWish } from './token-issuer.ts';

export interface IssuerOptions {
  /** what tokens say who issued them */
  readonly name: string;
  readonly keys: TokenKeys;
  /** seconds; 0: no limit */
  readonly maxLifetime: number;
  /** tokens that are mounted into pods live longer than they ask for */
  readonly extendMounted: boolean;
  /** address of the public keys, where the configuration is asked for */
  readonly keysUri: () => string;
  /** resolves identity placeholders */
  readonly text: (template: string) => string;
}

export class ServiceAccountIssuer implements TokenIssuer {
  readonly maxLifetime: number;
  readonly extendMounted: boolean;
  readonly #options: IssuerOptions;
  readonly #text: (template: string) => string;

  constructor(options: IssuerOptions) {
    this.maxLifetime = options.maxLifetime;
    this.extendMounted = options.extendMounted;
    this.#options = options;
    this.#text = options.text;
  }

  issue({ id, account, audiences, lifetime, warnAfter, pod, secret, node, now }: TokenWish): Promise<string> {
    const seconds = Math.floor(now / 1000);
    const { namespace = '', name = '' } = account.metadata;
    const bound: BoundClaims = {
      namespace,
      ...(node && { node }),
      ...(pod && { pod: referenceTo(pod) }),
      ...(secret && { secret: referenceTo(secret) }),
      serviceaccount: referenceTo(account),
      ...(warnAfter !== undefined && { warnafter: seconds + warnAfter }),
    };
    return this.#sign({
      aud: audiences,
      exp: seconds + lifetime,
      iat: seconds,
      iss: this.#options.name,
      jti: id,
      [this.#text(BOUND_CLAIM)]: bound,
      nbf: seconds,
      sub: serviceAccountUserName(namespace, name),
    });
  }

  /** The token that a secret of an account holds: without an end, good for as long as both are there. */
  issueForSecret(account: ApiObject, secret: string): Promise<string> {
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const claims = legacyClaimNames(this.#text);
    return this.#sign({
      iss: this.#text(LEGACY_ISSUER),
      [claims.namespace]: namespace,
      [claims.secret]: secret,
      [claims.account]: name,
      [claims.uid]: uid,
      sub: serviceAccountUserName(namespace, name),
    });
  }

  configuration(): string | undefined {
    const { name, keys, keysUri } = this.#options;
    return issuerConfiguration(name, keysUri(), keys.accepted);
  }

  keys(): string {
    return publicKeys(this.#options.keys.accepted);
  }

  async #sign(payload: Payload): Promise<string> {
    const { SignJWT } = await import('jose');
    const { algorithm, id, privateKey } = this.#options.keys.signing;
    return new SignJWT(payload).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey);
  }
}
