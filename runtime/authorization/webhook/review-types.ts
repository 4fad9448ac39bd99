/** The types of what expressions see: the members of an access review's `spec`. Members that are texts are there even if they are empty. */
import { listOf, mapOf, STRING, struct, type Type } from '../../expressions/types/type.ts';
import { jsonValue } from '../../expressions/values/json-values.ts';
import type { Value } from '../../expressions/values/value.ts';
import type { ReviewSpec } from './review.ts';

const texts = (...names: string[]): Record<string, Type> => Object.fromEntries(names.map((name) => [name, STRING]));
const RESOURCE = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'] as const;
const PATH = ['path', 'verb'] as const;

const requirement: Type = struct('SelectorRequirement', { ...texts('key', 'operator'), values: listOf(STRING) });
const selector = (name: string): Type => struct(name, { rawSelector: STRING, requirements: listOf(requirement) });

export const REVIEW_TYPE: Type = struct('SubjectAccessReviewSpec', {
  ...texts('user', 'uid'),
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
  resourceAttributes: struct('ResourceAttributes', {
    ...texts(...RESOURCE),
    fieldSelector: selector('FieldSelectorAttributes'),
    labelSelector: selector('LabelSelectorAttributes'),
  }),
  nonResourceAttributes: struct('NonResourceAttributes', texts(...PATH)),
});

type Members = Readonly<Record<string, unknown>>;

export function reviewValue(spec: ReviewSpec): Value {
  const { user = '', uid = '', groups = [], extra = {}, resourceAttributes, nonResourceAttributes } = spec as Members;
  return jsonValue({
    user,
    uid,
    groups,
    extra,
    ...(resourceAttributes !== undefined && { resourceAttributes: resourceMembers(resourceAttributes as Members) }),
    ...(nonResourceAttributes !== undefined && { nonResourceAttributes: textMembers(nonResourceAttributes as Members, PATH) }),
  });
}

function resourceMembers(attributes: Members): Members {
  const selectors = (['fieldSelector', 'labelSelector'] as const).flatMap((member) => {
    const given = attributes[member] as { requirements: Members[] } | undefined;
    return given === undefined ? [] : [[member, { requirements: given.requirements.map(requirementMembers) }] as const];
  });
  return { ...textMembers(attributes, RESOURCE), ...Object.fromEntries(selectors) };
}

const requirementMembers = ({ values, ...rest }: Members): Members => ({
  ...textMembers(rest, ['key', 'operator']),
  ...(values !== undefined && { values }),
});

const textMembers = (of: Members, names: readonly string[]): Members => Object.fromEntries(names.map((name) => [name, of[name] ?? '']));
