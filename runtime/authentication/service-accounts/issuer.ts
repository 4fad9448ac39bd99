/** Issues the tokens of service accounts, as JSON web tokens. */
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import { serviceAccountUserName } from '../service-account-names.ts';
import { BOUND_CLAIM, type BoundClaims, LEGACY_ISSUER, legacyClaimNames, referenceTo } from './claims.ts';
import { type IssuerDocuments, issuerDocuments } from './issuer-documents.ts';
import type { TokenIssuer, TokenLifetimes, TokenWish } from './token-issuer.ts';
import type { TokenSigner } from './token-signer.ts';

export interface IssuerOptions {
  /** what tokens say who issued them */
  readonly name: string;
  readonly signer: TokenSigner;
  /** seconds; 0: no limit */
  readonly maxLifetime: number;
  /** tokens that are mounted into pods live longer than they ask for */
  readonly extendMounted: boolean;
  /** address of the public keys, where the configuration is asked for */
  readonly keysUri: () => string;
  /** resolves identity placeholders */
  readonly text: (template: string) => string;
}

/** Seconds: old clients never read the file of a mounted token again. */
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

  /** The token that a secret of an account holds: without an end, good for as long as both are there. */
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
    // a flag alone does not bound what is mounted
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
