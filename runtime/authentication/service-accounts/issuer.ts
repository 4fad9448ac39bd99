/** Issues the tokens of service accounts, as JSON web tokens. */
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import { serviceAccountUserName } from '../service-account-names.ts';
import { BOUND_CLAIM, type BoundClaims, LEGACY_ISSUER, legacyClaimNames, referenceTo } from './claims.ts';
import { type IssuerDocuments, issuerDocuments } from './issuer-documents.ts';
import type { TokenIssuer, TokenLifetimes, TokenWish } from './token-issuer.ts';
import type { TokenSigner } from './token-signer.ts';

export interface IssuerOptions {
  /** the name of the issuer in tokens, their claim `iss` */
  readonly name: string;
  readonly signer: TokenSigner;
  /** the most seconds for which a token may be valid; 0 if there is no limit */
  readonly maxLifetime: number;
  /** whether tokens that are mounted into pods are valid for longer than their requests say */
  readonly extendMounted: boolean;
  /** Returns the address of the public keys, for the discovery document. */
  readonly keysUri: () => string;
  /** resolves identity placeholders */
  readonly text: (template: string) => string;
}

/** The seconds for which an extended token is valid: a year, because old clients never read the file of a mounted token again. */
const EXTENDED_LIFETIME = 365 * 24 * 3600;

export class ServiceAccountIssuer implements TokenIssuer {
  readonly #options: IssuerOptions;
  readonly #text: (template: string) => string;

  constructor(options: IssuerOptions) {
    this.#options = options;
    this.#text = options.text;
  }

  issue({ id, account, audiences, lifetime, warnAfter, pod, secret, node, now }: TokenWish, waiting?: Waiting): Promise<string> {
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
    const payload = {
      aud: audiences,
      exp: seconds + lifetime,
      iat: seconds,
      iss: this.#options.name,
      jti: id,
      [this.#text(BOUND_CLAIM)]: bound,
      nbf: seconds,
      sub: serviceAccountUserName(namespace, name),
    };
    return this.#options.signer.sign(payload, waiting);
  }

  /** Issues the token for a secret of an account. It does not expire, and is valid as long as both exist. */
  issueForSecret(account: ApiObject, secret: string): Promise<string> {
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const claims = legacyClaimNames(this.#text);
    return this.#options.signer.sign({
      iss: this.#text(LEGACY_ISSUER),
      [claims.namespace]: namespace,
      [claims.secret]: secret,
      [claims.account]: name,
      [claims.uid]: uid,
      sub: serviceAccountUserName(namespace, name),
    });
  }

  get issuesForSecrets(): boolean {
    return this.#options.signer.signsForSecrets;
  }

  lifetimes(waiting?: Waiting): TokenLifetimes | Promise<TokenLifetimes> {
    const { signer, maxLifetime, extendMounted } = this.#options;
    const longest = signer.longestLife?.(waiting);
    // as in 1.32, the limit of the flag does not shorten the extended life of mounted tokens; only that of an external signer does
    if (longest === undefined) return { longest: maxLifetime, ...(extendMounted && { mounted: EXTENDED_LIFETIME }) };
    const ofSigner = (seconds: number): TokenLifetimes => ({
      longest: seconds,
      ...(extendMounted && { mounted: Math.min(seconds, EXTENDED_LIFETIME) }),
    });
    return longest instanceof Promise ? longest.then(ofSigner) : ofSigner(longest);
  }

  documents(): IssuerDocuments | undefined {
    const { name, signer, keysUri } = this.#options;
    const published = signer.published();
    return published && issuerDocuments(name, keysUri(), published);
  }
}
