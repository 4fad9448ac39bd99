/** The answer about a token alone, without a request. */
import type { User } from '../contract/request-context.ts';
import type { Waiting } from '../outbound/shared-answer.ts';

export type TokenAnswer =
  | {
      readonly user: User;
      /** those of the wanted audiences that the token is for, in the order in which they were wanted */
      readonly audiences: readonly string[];
    }
  /** the reason why the token is invalid, for the member `error` of a review's status */
  | { readonly error: string };

/**
 * Finds the user of a token.
 * @param audiences the wanted ones, of which the token must have at least one; they are empty only if the server has none of its own
 */
export type AuthenticateToken = (token: string, audiences: readonly string[], waiting?: Waiting) => TokenAnswer | Promise<TokenAnswer>;
