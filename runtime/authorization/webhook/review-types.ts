/** What expressions see of an access review: the members of its `spec`, those of text even where they are empty. */
import { listOf, mapOf, STRING, type Type, type Value } from '../../expressions/types.ts';
import type { ReviewSpec } from './review.ts';

const texts = (...names: string[]): Record<string, Type> => Object.fromEntries(names.map((name) => [name, STRING]));
const RESOURCE = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'] as const;
const PATH = ['path', 'verb'] as const;

const requirement: Type = { kind: 'struct', name: 'SelectorRequirement', fields: { ...texts('key', 'operator'), values: listOf(STRING) } };
const selector = (name: string): Type => ({ kind: 'struct', name, fields: { rawSelector: STRING, requirements: listOf(requirement) } });

export const REVIEW_TYPE: Type = {
  kind: 'struct',
  name: 'SubjectAccessReviewSpec',
  fields: {
    ...texts('user', 'uid'),
    groups: listOf(STRING),
    extra: mapOf(STRING, listOf(STRING)),
    resourceAttributes: {
      kind: 'struct',
      name: 'ResourceAttributes',
      fields: {
        ...texts(...RESOURCE),
        fieldSelector: selector('FieldSelectorAttributes'),
        labelSelector: selector('LabelSelectorAttributes'),
      },
    },
    nonResourceAttributes: { kind: 'struct', name: 'NonResourceAttributes', fields: texts(...PATH) },
  },
};

type Members = Readonly<Record<string, unknown>>;

export function reviewValue(spec: ReviewSpec): Value {
  const { user = '', uid = '', groups = [], extra = {}, resourceAttributes, nonResourceAttributes } = spec as Members;
  const members = new Map<Value, Value>([
    ['user', user as string],
    ['uid', uid as string],
    ['groups', groups as string[]],
    ['extra', new Map(Object.entries(extra as Record<string, string[]>))],
  ]);
  if (resourceAttributes !== undefined) members.set('resourceAttributes', resourceValue(resourceAttributes as Members));
  if (nonResourceAttributes !== undefined) members.set('nonResourceAttributes', textMembers(nonResourceAttributes as Members, PATH));
  return members;
}

function resourceValue(attributes: Members): Value {
  const members = textMembers(attributes, RESOURCE);
  for (const member of ['fieldSelector', 'labelSelector'] as const) {
    const given = attributes[member] as { requirements: Members[] } | undefined;
    if (given !== undefined) members.set(member, new Map([['requirements', given.requirements.map(requirementValue)]]));
  }
  return members;
}

function requirementValue({ values, ...rest }: Members): Value {
  const members = textMembers(rest, ['key', 'operator']);
  if (values !== undefined) members.set('values', values as string[]);
  return members;
}

function textMembers(of: Members, names: readonly string[]): Map<Value, Value> {
  return new Map(names.map((name) => [name, (of[name] ?? '') as string]));
}
