/** The values by which an expression builds a question to the authorizer, and the answer. */
import type { FieldRequirement } from '../../../selectors/field-selector-text.ts';
import { parseFieldSelector } from '../../../selectors/field-selector-text.ts';
import { type LabelRequirement, parseLabelSelector } from '../../../selectors/label-selector-text.ts';
import { SelectorError } from '../../../selectors/selector-error.ts';
import { closedStruct, type StructType } from '../../types/type.ts';
import { OpaqueValue } from '../../values/value.ts';

export const AUTHORIZER = closedStruct('kubernetes.authorization.Authorizer');
export const PATH_CHECK = closedStruct('kubernetes.authorization.PathCheck');
export const GROUP_CHECK = closedStruct('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK = closedStruct('kubernetes.authorization.ResourceCheck');
export const DECISION = closedStruct('kubernetes.authorization.Decision');

/** A question about a resource or, if `isResource` is false, about a path. Members that do not apply are ''. */
export interface AccessQuestion {
  /** the subject; default: the user of the authorizer */
  readonly serviceAccount?: ServiceAccount;
  readonly isResource: boolean;
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** absent if there is no selector, or an invalid one */
  readonly fieldSelector?: readonly FieldRequirement[];
  readonly labelSelector?: readonly LabelRequirement[];
}

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

export interface AccessAnswer {
  readonly isAllowed: boolean;
  readonly reason: string;
  /** an error that occurred although there is a decision */
  readonly error?: string;
}

/**
 * Returns the answer. If it is not known yet, it throws an error that the caller of the whole evaluation catches; when the answer is there,
 * the caller evaluates again, which is possible because expressions have no side effects.
 */
export type Authorize = (question: AccessQuestion) => AccessAnswer;

/** Two steps are equal only if they are the same object. */
abstract class Step extends OpaqueValue {
  abstract override readonly type: StructType;
  equals(other: OpaqueValue): boolean {
    return this === other;
  }
}

/** The subject of the question, and the function that decides. */
export class AuthorizerValue extends Step {
  readonly type = AUTHORIZER;
  readonly authorize: Authorize;
  readonly serviceAccount: ServiceAccount | undefined;

  constructor(authorize: Authorize, serviceAccount?: ServiceAccount) {
    super();
    this.authorize = authorize;
    this.serviceAccount = serviceAccount;
  }
}

export class PathCheckValue extends Step {
  readonly type = PATH_CHECK;
  readonly #authorizer: AuthorizerValue;
  readonly #path: string;

  constructor(authorizer: AuthorizerValue, path: string) {
    super();
    this.#authorizer = authorizer;
    this.#path = path;
  }

  check(verb: string): DecisionValue {
    const { authorize, serviceAccount } = this.#authorizer;
    const nothing = { group: '', resource: '', subresource: '', namespace: '', name: '' };
    const question = { isResource: false, verb, path: this.#path, ...nothing };
    return new DecisionValue(authorize(serviceAccount === undefined ? question : { ...question, serviceAccount }));
  }
}

export class GroupCheckValue extends Step {
  readonly type = GROUP_CHECK;
  readonly #authorizer: AuthorizerValue;
  readonly #group: string;

  constructor(authorizer: AuthorizerValue, group: string) {
    super();
    this.#authorizer = authorizer;
    this.#group = group;
  }

  resource(resource: string): ResourceCheckValue {
    return new ResourceCheckValue(this.#authorizer, { group: this.#group, resource, subresource: '', namespace: '', name: '' });
  }
}

interface CheckedResource extends Pick<AccessQuestion, 'group' | 'resource' | 'subresource' | 'namespace' | 'name'> {
  /** the text of the selector; default: none */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export class ResourceCheckValue extends Step {
  readonly type = RESOURCE_CHECK;
  readonly #authorizer: AuthorizerValue;
  readonly #checked: CheckedResource;

  constructor(authorizer: AuthorizerValue, checked: CheckedResource) {
    super();
    this.#authorizer = authorizer;
    this.#checked = checked;
  }

  with(part: Partial<CheckedResource>): ResourceCheckValue {
    return new ResourceCheckValue(this.#authorizer, { ...this.#checked, ...part });
  }

  check(verb: string): DecisionValue {
    const { authorize, serviceAccount } = this.#authorizer;
    const { fieldSelector = '', labelSelector = '', ...checked } = this.#checked;
    return new DecisionValue(
      authorize({
        isResource: true,
        verb,
        path: '',
        ...checked,
        ...(serviceAccount === undefined ? {} : { serviceAccount }),
        ...requirements('fieldSelector', fieldSelector, parseFieldSelector),
        ...requirements('labelSelector', labelSelector, (text) => parseLabelSelector(text).requirements),
      }),
    );
  }
}

/** An invalid selector counts as none, as in 1.32. */
function requirements<K extends string, T>(key: K, text: string, parse: (text: string) => T): { [key in K]?: T } {
  if (text === '') return {};
  try {
    return { [key]: parse(text) } as { [key in K]?: T };
  } catch (error) {
    if (error instanceof SelectorError) return {};
    throw error;
  }
}

export class DecisionValue extends Step {
  readonly type = DECISION;
  readonly answer: AccessAnswer;

  constructor(answer: AccessAnswer) {
    super();
    this.answer = answer;
  }
}
