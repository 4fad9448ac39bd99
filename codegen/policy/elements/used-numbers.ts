/** Compares the protobuf numbers and names that any release ever had, of every type. */
import { placeOf } from '../../check/places.ts';
import type { ModelData } from '../../model/model.ts';
import type { PolicyReport } from '../finding.ts';
import { stabilityOf } from '../stability.ts';
import { kindName } from './kinds.ts';
import { compareUsed } from './numbers.ts';

/**
 * @param before the earlier schemas, or `after` itself
 * @param release the release for which differences are reported
 */
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
