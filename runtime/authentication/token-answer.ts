/** The answer about a token alone, without a request. */
import type { User } from '../contract/request-context.ts';
import type { Waiting } from '../outbound/shared-answer.ts';

export type TokenAnswer =
  | {
      readonly user: User;
      /** those of the wanted audiences that the token is for, in the order in which they were wanted */
      readonly audiences: readonly string[];
    }
  /** @see TokenReviewStatus.error */
  | { readonly error: string };

/** @param audiences wanted ones, at least one of which the token must be for; never empty if the server has audiences of its own */
export type AuthenticateToken = (token: string, audiences: readonly string[], waiting?: Waiting) => TokenAnswer | Promise<TokenAnswer>;
