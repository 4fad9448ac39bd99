/** The contract for issuing service account tokens. */
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import type { IssuerDocuments } from './issuer-documents.ts';

/** The objects that a token is bound to: it is valid only as long as they exist. */
export interface BoundObjects {
  readonly pod?: ApiObject;
  readonly secret?: ApiObject;
  /** of the pod, where there is one; without uid where the node is not there */
  readonly node?: { readonly name: string; readonly uid?: string };
}

/** The order for a service account token. */
export interface TokenWish extends BoundObjects {
  /** unique id, by which records name the token */
  readonly id: string;
  readonly account: ApiObject;
  readonly audiences: readonly string[];
  /** seconds */
  readonly lifetime: number;
  /** seconds after which use of the token is reported; absent: never */
  readonly warnAfter?: number;
  /** milliseconds since 1970 */
  readonly now: number;
}

/** Seconds. */
export interface TokenLifetimes {
  /** 0: no limit */
  readonly longest: number;
  /** the extended life of a token that is mounted into a pod; absent: it is not extended */
  readonly mounted?: number;
}

/** Issues the tokens of service accounts. */
export interface TokenIssuer {
  /** @throws Error; the reason of the signal if that is aborted first */
  issue(wish: TokenWish, waiting?: Waiting): Promise<string>;
  /** the token for a secret of the account, which never expires. @param secret its name */
  issueForSecret(account: ApiObject, secret: string): Promise<string>;
  /** whether tokens for secrets can be issued */
  readonly issuesForSecrets: boolean;
  /** a promise if the signer must be asked first */
  lifetimes(waiting?: Waiting): TokenLifetimes | Promise<TokenLifetimes>;
  /** the documents by which others verify tokens; undefined if the issuer is no https address, or there is nothing yet */
  documents(): IssuerDocuments | undefined;
}
