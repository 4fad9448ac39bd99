/** Checks embedded objects of the API: kind and version must be texts, and metadata must be valid. */
import { type FieldError, invalid } from '../contract/field-error.ts';
import type { RuleContext } from '../contract/kind-rules.ts';
import { isObject } from '../schema/json/member.ts';
import type { CustomSchema } from './custom-schema.ts';
import { shown } from './shown-value.ts';

/** @returns an error for the first invalid member, with a path that begins with a dot; undefined if all are valid */
export function unreadableMember(
  schema: CustomSchema | undefined,
  value: unknown,
  context: Pick<RuleContext, 'metadataProblem'>,
  path = '',
): FieldError | undefined {
  if (schema === undefined) return undefined;
  if (Array.isArray(value))
    return firstOf(value.entries(), ([index, item]) => unreadableMember(schema.items, item, context, `${path}[${index}]`));
  if (!isObject(value)) return undefined;
  const { properties = {}, additionalProperties: others } = schema;
  const isOfApi = schema['x-kubernetes-embedded-resource'] === true;
  return firstOf(Object.entries(value), ([name, member]) => {
    const own = isOfApi ? problemOf(name, member, context) : undefined;
    if (own !== undefined) return invalid(`${path}.${name}`, shown(member), own);
    if (Object.hasOwn(properties, name)) return unreadableMember(properties[name], member, context, `${path}.${name}`);
    return typeof others === 'object' ? unreadableMember(others, member, context, `${path}[${name}]`) : undefined;
  });
}

function problemOf(name: string, value: unknown, { metadataProblem }: Pick<RuleContext, 'metadataProblem'>): string | undefined {
  if (name === 'metadata') return metadataProblem(value);
  return (name === 'apiVersion' || name === 'kind') && typeof value !== 'string' ? 'must be a string' : undefined;
}

function firstOf<T, R>(list: Iterable<T>, find: (each: T) => R | undefined): R | undefined {
  for (const each of list) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}
