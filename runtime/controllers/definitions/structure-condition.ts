/** Says of a definition that keeps unknown fields, as those of earlier releases may, what stands between it and a structural one. */

import type { CustomResourceDefinitionSpec } from '../../../generated/apiextensions/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { ApiObject } from '../../contract/object.ts';
import { type Condition, hasCondition, withCondition } from '../conditions/conditions.ts';

const NON_STRUCTURAL = 'NonStructuralSchema';

/** Whether only the schemas of a definition tell what is said of it. @param definition its schemas are not read */
export function needsSchemas({ spec, status }: ApiObject): boolean {
  const conditions: readonly Condition[] = status?.conditions ?? [];
  return spec.preserveUnknownFields === true || conditions.some(({ type }) => type === NON_STRUCTURAL);
}

/** @returns the definition itself where nothing of it changes */
export async function withStructure(definition: ApiObject, now: number): Promise<ApiObject> {
  const condition = await conditionOf(definition.spec as CustomResourceDefinitionSpec);
  if (condition !== undefined) return hasCondition(definition, condition) ? definition : withCondition(definition, condition, now);
  const conditions: readonly Condition[] = definition.status?.conditions ?? [];
  const others = conditions.filter(({ type }) => type !== NON_STRUCTURAL);
  return others.length === conditions.length ? definition : { ...definition, status: { ...definition.status, conditions: others } };
}

/** Schemas of all other definitions were held against the same rules when they were written. */
async function conditionOf({ preserveUnknownFields, versions }: CustomResourceDefinitionSpec): Promise<Condition | undefined> {
  if (preserveUnknownFields !== true) return undefined;
  // hardly any server has such a definition, and the rules of schemas load all of the expression language
  const { validateStructural } = await import('../../kinds/apiextensions/structural.ts');
  const { unsupportedKeyword } = await import('../../kinds/apiextensions/unsupported.ts');
  const violations = new Set(['spec.preserveUnknownFields: Invalid value: true: must be false']);
  for (const [index, { name, schema }] of (versions ?? []).entries()) {
    const root = schema?.openAPIV3Schema;
    if (root === undefined) continue;
    const unreadable = unsupportedKeyword(root);
    if (unreadable !== undefined) {
      const message = `failed to check validation schema for version ${name}: ${unreadable}`;
      return { type: NON_STRUCTURAL, status: 'Unknown', reason: 'StructuralError', message };
    }
    const found = validateStructural(root, `spec.versions[${index}].schema.openAPIV3Schema`, '');
    for (const { field, message } of found) violations.add(`${field}: ${message}`);
  }
  return { type: NON_STRUCTURAL, status: 'True', reason: 'Violations', message: aggregateText(violations) };
}
