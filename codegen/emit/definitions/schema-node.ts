/** Schemas of definitions while they are written. Writers change the nodes in place. */

/** One level of a structural schema. */
export interface SchemaNode {
  [keyword: string]: unknown;
  type?: string;
  description?: string;
  default?: unknown;
  required?: string[];
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  additionalProperties?: SchemaNode;
  'x-kubernetes-validations'?: SchemaRule[];
}

/** An entry of `x-kubernetes-validations`. */
export interface SchemaRule {
  readonly rule: string;
  readonly message?: string;
  readonly reason?: 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: true;
}

/** Takes what a definition cannot say. `path` is the member, such as `spec.ports[].name`, or '' for the kind as a whole. */
export type TellLoss = (path: string, what: string) => void;

/** Adds a rule, unless the schema states the same rule for the same path already. */
export function addRule(node: SchemaNode, rule: SchemaRule): void {
  const rules = node['x-kubernetes-validations'] ?? [];
  if (rules.some((each) => each.rule === rule.rule && each.fieldPath === rule.fieldPath)) return;
  node['x-kubernetes-validations'] = [...rules, rule];
}

/** Makes a member required, if it is not so already. */
export function requireMember(node: SchemaNode, name: string): void {
  if (!node.required?.includes(name)) node.required = [...(node.required ?? []), name];
}

/**
 * @param path names of members, one below the other
 * @returns undefined if the schema declares no such member
 */
export function nodeAt(node: SchemaNode, path: readonly string[]): SchemaNode | undefined {
  return path.reduce<SchemaNode | undefined>((at, name) => at?.properties?.[name], node);
}

export const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
