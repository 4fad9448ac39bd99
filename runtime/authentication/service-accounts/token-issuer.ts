/** Tokens of service accounts: what they are asked for, and who issues them. */
import type { ApiObject } from '../../contract/object.ts';

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

/** Issues the tokens of service accounts. */
export interface TokenIssuer {
  issue(wish: TokenWish): Promise<string>;
  /** the token that a secret of the account holds, without an end. @param secret its name */
  issueForSecret(account: ApiObject, secret: string): Promise<string>;
  /** seconds; 0: no limit */
  readonly maxLifetime: number;
  /** tokens that are mounted into pods live longer than they ask for */
  readonly extendMounted: boolean;
  /** who issues the tokens, as JSON; undefined where the issuer is no https address */
  configuration(): string | undefined;
  /** the public keys, as JSON */
  keys(): string;
}
