/** What the authorizer answers to expressions about one request. Expressions do not wait: one that has to is evaluated again. */
import type { Authorizer, Decision } from '../../authorization/authorizer.ts';
import type { User } from '../../contract/request-context.ts';
import {
  type AccessAnswer,
  type AccessQuestion,
  AuthorizerValue,
  GroupCheckValue,
  type ResourceCheckValue,
} from '../../expressions/libraries/authorizer/authorizer-values.ts';
import type { AdmissionAttributes } from './attributes.ts';

/** Thrown through an evaluation, which is repeated when the authorizer has answered. */
class Unanswered extends Error {
  readonly answered: Promise<void>;
  constructor(answered: Promise<void>) {
    super('the authorizer has yet to answer');
    this.answered = answered;
  }
}

export class AuthorizerAnswers {
  /** the value of the variable `authorizer` in expressions */
  readonly value: AuthorizerValue;
  readonly #authorizer: Authorizer;
  readonly #asked: Pick<AdmissionAttributes, 'user' | 'request'>;
  readonly #known = new Map<string, AccessAnswer>();

  constructor(authorizer: Authorizer, asked: Pick<AdmissionAttributes, 'user' | 'request'>) {
    this.#authorizer = authorizer;
    this.#asked = asked;
    this.value = new AuthorizerValue((question) => this.#answer(question));
  }

  /**
   * @param evaluate has no effects.
   * @returns what it returns; a promise where the authorizer has to be waited for, which rejects with the reason of the request's signal
   */
  whenAnswered<T>(evaluate: () => T): T | Promise<T> {
    try {
      return evaluate();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      return error.answered.then(() => this.whenAnswered(evaluate));
    }
  }

  #answer(question: AccessQuestion): AccessAnswer {
    const key = JSON.stringify(question);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { serviceAccount, ...asked } = question;
    const user = serviceAccount === undefined ? this.#asked.user : accountUser(serviceAccount);
    const decision = this.#authorizer.authorize({ ...asked, user, version: question.isResource ? '*' : '' }, this.#asked.request);
    if (decision instanceof Promise) throw new Unanswered(decision.then((settled) => void this.#know(key, settled)));
    return this.#know(key, decision);
  }

  #know(key: string, decision: Decision): AccessAnswer {
    const answer = answerOf(decision);
    this.#known.set(key, answer);
    return answer;
  }
}

/** What expressions read as `authorizer.requestResource`: the object that a request is about. */
export function requestResourceCheck(
  authorizer: AuthorizerValue,
  {
    resource: { groupResource },
    subresource,
    namespace,
    name,
  }: Pick<AdmissionAttributes, 'resource' | 'subresource' | 'namespace' | 'name'>,
): ResourceCheckValue {
  return new GroupCheckValue(authorizer, groupResource.group).resource(groupResource.resource).with({ subresource, namespace, name });
}

const answerOf = ({ decision, reason, error }: Decision): AccessAnswer => ({
  isAllowed: decision === 'allow',
  reason,
  ...(error !== undefined && { error }),
});

/**
 * Makes the user of a service account for questions about its rights. As in 1.32, it has only these groups, and not those that it has when it sends requests
 * itself.
 */
function accountUser({ namespace, name }: NonNullable<AccessQuestion['serviceAccount']>): User {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { name: `system:serviceaccount:${namespace}:${name}`, uid: '', groups, extra: {} };
}
