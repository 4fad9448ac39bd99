/** Numbers and names that any release ever had, of every type at once: what the schemas say of all releases. */
import { placeOf } from '../../check/places.ts';
import type { ModelData } from '../../model/model.ts';
import type { PolicyReport } from '../finding.ts';
import { stabilityOf } from '../stability.ts';
import { kindName } from './kinds.ts';
import { compareUsed } from './numbers.ts';

/** @param before of the earlier schemas, or those of `after` themselves. @param release in which a difference is told */
export function compareUsedNumbers(before: ModelData, after: ModelData, release: string, report: PolicyReport): void {
  for (const groupVersion of after.groupVersions)
    for (const type of groupVersion.types) {
      const earlier = before.types.get(type.definition);
      if (type.kind !== 'struct' || earlier?.kind !== 'struct') continue;
      for (const { code, field, was, is } of compareUsed(earlier, type))
        report.violation(code, {
          element: kindName(groupVersion, field === undefined ? type.name : `${type.name}.${field}`),
          at: placeOf(groupVersion, type, field),
          was,
          is,
          stability: stabilityOf(groupVersion.version),
          release,
        });
    }
}
