/** Tokens of service accounts: what they are asked for, and who issues them. */
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../outbound/shared-answer.ts';
import type { IssuerDocuments } from './issuer-documents.ts';

/** What a service account's token lives and dies with. */
export interface BoundObjects {
  readonly pod?: ApiObject;
  readonly secret?: ApiObject;
  /** of the pod, where there is one; without uid where the node is not there */
  readonly node?: { readonly name: string; readonly uid?: string };
}

/** What a token of a service account is asked for. */
export interface TokenWish extends BoundObjects {
  /** by which records name the token: no other one has it */
  readonly id: string;
  readonly account: ApiObject;
  readonly audiences: readonly string[];
  /** seconds */
  readonly lifetime: number;
  /** seconds after which using the token on is reported; absent: never */
  readonly warnAfter?: number;
  /** milliseconds since 1970 */
  readonly now: number;
}

/** Seconds. */
export interface TokenLifetimes {
  /** 0: no limit */
  readonly longest: number;
  /** of a token that is mounted into a pod, which lives longer than it asks for; absent: it does not */
  readonly mounted?: number;
}

/** Issues the tokens of service accounts. */
export interface TokenIssuer {
  /** @throws Error; the reason of the signal where that is aborted first */
  issue(wish: TokenWish, waiting?: Waiting): Promise<string>;
  /** the token that a secret of the account holds, without an end. @param secret its name */
  issueForSecret(account: ApiObject, secret: string): Promise<string>;
  /** whether there are tokens for secrets */
  readonly issuesForSecrets: boolean;
  /** a promise where who signs tokens has to say it first */
  lifetimes(waiting?: Waiting): TokenLifetimes | Promise<TokenLifetimes>;
  /** what others check tokens by; undefined where the issuer is no https address, and where there is nothing yet */
  documents(): IssuerDocuments | undefined;
}
