/** Finds members that a structural schema does not declare, which are dropped when an object is written. */
import { isObject } from '../schema/json/member.ts';
import type { CustomSchema } from './custom-schema.ts';

const API_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Whether every object of the API has a member of this name. */
export const isApiMember = (name: string): boolean => API_MEMBERS.has(name);

/** @param schema undefined: the value is not described @param keeps whether an enclosing schema keeps unknown members */
export function hasUnknown(schema: CustomSchema | undefined, value: unknown, keeps = false): boolean {
  const kept = keeps || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) return value.some((item) => hasUnknown(schema?.items, item, kept));
  if (!isObject(value)) return false;
  const { properties = {}, additionalProperties: others } = schema ?? {};
  const isOfApi = schema?.['x-kubernetes-embedded-resource'] === true;
  return Object.keys(value).some((name) => {
    if (isOfApi && isApiMember(name)) return false;
    if (Object.hasOwn(properties, name)) return hasUnknown(properties[name], value[name]);
    if (others !== undefined) return hasUnknown(typeof others === 'object' ? others : undefined, value[name]);
    return !kept;
  });
}
