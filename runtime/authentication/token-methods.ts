/** The methods for bearer tokens, which are asked in the order of 1.32. */
import type { User } from '../contract/request-context.ts';
import type { Waiting } from '../outbound/shared-answer.ts';
import { withAuthenticatedGroup } from './identities.ts';
import { type Outcome, Refusal } from './outcome.ts';

export interface TokenIdentity {
  readonly user: User;
  /** those of the wanted audiences that the token is for, in the order in which they were wanted */
  readonly audiences: readonly string[];
  /** warnings for the client that presents the token */
  readonly warnings?: readonly string[];
}

export type TokenOutcome = Outcome<TokenIdentity>;

/** Whoever asks about a token. */
export interface TokenAsker extends Waiting {
  /** Records a note about the token for audit; absent: nobody records it. */
  annotate?(key: string, value: string): void;
  /** Warns about the use of a valid token; absent: nobody is warned. */
  warn?(text: string): void;
}

export interface TokenMethod {
  /**
   * @param audiences wanted ones, at least one of which the token must be for; empty only if the server has no audiences of its own
   * @param asker for methods that ask other services: whoever waits, and where notes about the token go
   * @param connection on which the token came: methods remember work on its last token, since the next one is usually the same
   * @returns undefined if the token is not of this method's kind
   */
  identify(token: string, audiences: readonly string[], asker?: TokenAsker, connection?: object): TokenOutcome | Promise<TokenOutcome>;
}

/** Most bytes of a token. A longer text is never one. */
const MAX_TOKEN = 64 * 1024;
const TOO_LONG = new Refusal('the token is too long');

export class TokenMethods implements TokenMethod {
  readonly #methods: readonly TokenMethod[];
  constructor(methods: readonly TokenMethod[]) {
    this.#methods = methods;
  }

  /** The answer of the first method that accepts the token. @returns otherwise a refusal with all reasons; undefined if no method refused it */
  identify(token: string, audiences: readonly string[], asker?: TokenAsker, connection?: object): TokenOutcome | Promise<TokenOutcome> {
    if (token.length > MAX_TOKEN) return TOO_LONG;
    return this.#from(0, { token, audiences, asker, connection }, []);
  }

  /** Returns no promise as long as the methods return none. */
  #from(first: number, asked: Asked, reasons: string[]): TokenOutcome | Promise<TokenOutcome> {
    const { token, audiences, asker, connection } = asked;
    for (let index = first; index < this.#methods.length; index++) {
      const outcome = (this.#methods[index] as TokenMethod).identify(token, audiences, asker, connection);
      if (outcome instanceof Promise)
        return outcome.then((settled) => settledOutcome(settled, reasons) ?? this.#from(index + 1, asked, reasons));
      const identity = settledOutcome(outcome, reasons);
      if (identity !== undefined) return identity;
    }
    return reasons.length === 0 ? undefined : new Refusal(reasons.join(', '));
  }
}

interface Asked {
  readonly token: string;
  readonly audiences: readonly string[];
  readonly asker: TokenAsker | undefined;
  readonly connection: object | undefined;
}

function settledOutcome(outcome: TokenOutcome, reasons: string[]): TokenIdentity | undefined {
  if (outcome instanceof Refusal) {
    reasons.push(outcome.reason);
    return undefined;
  }
  if (outcome === undefined) return undefined;
  const user = withAuthenticatedGroup(outcome.user);
  return user === outcome.user ? outcome : { ...outcome, user };
}

/** Finds the user of a token by a method whose tokens have no audiences: these are for this server. `connection` as of `TokenMethod`. */
export type FindUser = (token: string, connection?: object) => Outcome<User> | Promise<Outcome<User>>;

/** @param own audiences of this server. If no audiences are wanted, all tokens of the method are accepted. */
export function forAudiences(own: readonly string[], find: FindUser): TokenMethod {
  const identity = (outcome: Outcome<User>, audiences: readonly string[]): TokenOutcome =>
    outcome === undefined || outcome instanceof Refusal ? outcome : { user: outcome, audiences };
  return {
    identify(token, audiences, _waiting, connection) {
      const meant = commonAudiences(own, audiences);
      if (meant.length === 0 && audiences.length > 0) return undefined;
      const found = find(token, connection);
      return found instanceof Promise ? found.then((outcome) => identity(outcome, meant)) : identity(found, meant);
    },
  };
}

/** @returns the wanted audiences that the token has, in the order in which they are wanted */
export function commonAudiences(held: readonly string[], wanted: readonly string[]): readonly string[] {
  return held === wanted ? wanted : wanted.filter((audience) => held.includes(audience));
}
