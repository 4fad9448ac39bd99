/** The functions by which expressions ask the authorizer. */
import { dnsLabel, dnsSubdomain } from '../../../formats/names.ts';
import type { FunctionDeclaration, Library } from '../../environment/declarations.ts';
import { BOOL, STRING } from '../../types/type.ts';
import { costSize } from '../../values/describe.ts';
import { ErrorValue, type Value } from '../../values/value.ts';
import { declared, member } from '../overloads.ts';
import { traversalUnits } from '../standard/costs.ts';
import {
  AUTHORIZER,
  AuthorizerValue,
  DECISION,
  type DecisionValue,
  GROUP_CHECK,
  GroupCheckValue,
  PATH_CHECK,
  PathCheckValue,
  RESOURCE_CHECK,
  type ResourceCheckValue,
} from './authorizer-values.ts';

/** Cost of one check. The limit of an expression allows two. */
export const CHECK_UNITS = 350_000;

function pathCheck(authorizer: AuthorizerValue, path: string): Value {
  return path.trim() === '' ? new ErrorValue('path must not be empty') : new PathCheckValue(authorizer, path);
}

function resourceCheck(group: GroupCheckValue, resource: string): Value {
  return resource.trim() === '' ? new ErrorValue('resource must not be empty') : group.resource(resource);
}

function serviceAccount({ authorize }: AuthorizerValue, namespace: string, name: string): Value {
  if (dnsSubdomain(name).length > 0) return new ErrorValue('Invalid service account name');
  if (dnsLabel(namespace).length > 0) return new ErrorValue('Invalid service account namespace');
  return new AuthorizerValue(authorize, { namespace, name });
}

const narrowed = (name: 'subresource' | 'namespace' | 'name'): FunctionDeclaration =>
  declared(name, [
    member(`resourcecheck_${name}`, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, (check: ResourceCheckValue, text: string) =>
      check.with({ [name]: text }),
    ),
  ]);

export const authorizerLibrary: Library = {
  name: 'kubernetes.authz',
  since: 27,
  functions: [
    declared('path', [member('authorizer_path', [AUTHORIZER, STRING], PATH_CHECK, pathCheck)]),
    declared('group', [
      member('authorizer_group', [AUTHORIZER, STRING], GROUP_CHECK, (of: AuthorizerValue, group: string) => new GroupCheckValue(of, group)),
    ]),
    declared('serviceAccount', [member('authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount)]),
    declared('resource', [member('groupcheck_resource', [GROUP_CHECK, STRING], RESOURCE_CHECK, resourceCheck)]),
    narrowed('subresource'),
    narrowed('namespace'),
    narrowed('name'),
    declared(
      'check',
      [
        member('pathcheck_check', [PATH_CHECK, STRING], DECISION, (check: PathCheckValue, verb: string) => check.check(verb)),
        member('resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, (check: ResourceCheckValue, verb: string) => check.check(verb)),
      ],
      () => CHECK_UNITS,
    ),
    declared('allowed', [member('decision_allowed', [DECISION], BOOL, ({ answer }: DecisionValue) => answer.isAllowed)]),
    declared('reason', [member('decision_reason', [DECISION], STRING, ({ answer }: DecisionValue) => answer.reason)]),
    declared('errored', [member('decision_errored', [DECISION], BOOL, ({ answer }: DecisionValue) => answer.error !== undefined)]),
    declared('error', [member('decision_error', [DECISION], STRING, ({ answer }: DecisionValue) => answer.error ?? '')]),
  ],
};

/**
 * A selector costs a list of requirements, each with a list of values. The shortest requirement that can be repeated has two characters.
 */
const LIST_UNITS = 10;
const REQUIREMENT_UNITS = 50;
const selectorUnits = (text: Value | undefined): number =>
  LIST_UNITS + traversalUnits(text) + Math.ceil(costSize(text) / 2) * REQUIREMENT_UNITS;

const selecting = (name: 'fieldSelector' | 'labelSelector'): FunctionDeclaration =>
  declared(
    name,
    [
      member(`authorizer_${name.toLowerCase()}`, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, (check: ResourceCheckValue, selector: string) =>
        check.with({ [name]: selector }),
      ),
    ],
    ([, selector]) => selectorUnits(selector),
  );

/** Only available if the feature gate AuthorizeWithSelectors is on. */
export const authorizerSelectorsLibrary: Library = {
  name: 'kubernetes.authzSelectors',
  since: 31,
  functions: [selecting('fieldSelector'), selecting('labelSelector')],
};
