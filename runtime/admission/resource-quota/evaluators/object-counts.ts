/** Objects of a resource without rules of its own: each counts as one. */

import { isQuotaResource } from '../../../kinds/core/resource-amounts/resource-names.ts';
import { ONE } from '../../../schema/scalar/amounts.ts';
import type { GroupResource } from '../../../status/status.ts';
import { countName, type Evaluator, isCreate } from '../evaluator.ts';

/** Some of the core group have an older name besides, which is that of the resource. */
export function objectCounts({ group, resource }: GroupResource): Evaluator {
  const name = countName(group, resource);
  const names = group === '' && isQuotaResource(resource) ? [name, resource] : [name];
  const plain = new Set(names);
  const usage = new Map(names.map((each) => [each, ONE]));
  return { plain, members: [], handles: isCreate, counts: (each) => plain.has(each), usage: () => usage };
}
