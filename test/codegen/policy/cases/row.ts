import type { PolicyCode, PolicyRule } from '../../../../codegen/policy/policy-codes.ts';
import type { Edit } from '../states.ts';

export interface ViolationRow {
  readonly name: string;
  readonly expected: readonly (readonly [code: PolicyCode, rule: PolicyRule, element: string])[];
  /** of what shall become 1.33 */
  readonly edit: Edit;
  /** of both states, before the later one is edited */
  readonly earlier?: Edit;
}

export function row(
  name: string,
  expected: ViolationRow['expected'][number] | ViolationRow['expected'],
  edit: Edit,
  earlier?: Edit,
): ViolationRow {
  const all = typeof expected[0] === 'string' ? [expected as ViolationRow['expected'][number]] : (expected as ViolationRow['expected']);
  return { name, expected: all, edit, ...(earlier && { earlier }) };
}
