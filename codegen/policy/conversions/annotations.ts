/** Compares the annotations in which conversions keep what an older version cannot say. Stored objects carry them, so a name must not change (rule 1). */
import { placeOf } from '../../check/places.ts';
import type { Model, StructModel } from '../../model/model.ts';
import { kindName, kindsOf, sameKind } from '../elements/kinds.ts';
import type { PolicyReport } from '../finding.ts';
import { stabilityOf } from '../stability.ts';

export function compareAnnotations(before: Model, after: Model, report: PolicyReport): void {
  for (const each of kindsOf(before.all)) {
    const later = sameKind(after.all, each);
    if (later === undefined) continue;
    const now = keptBy(later.kind);
    for (const [annotation, path] of keptBy(each.kind)) {
      if (now.has(annotation)) continue;
      const other = [...now].find(([, kept]) => kept === path)?.[0];
      const { file, path: place } = placeOf(later.groupVersion, later.kind);
      report.violation('CP123', {
        element: `${kindName(each.groupVersion, each.kind.name)} annotation ${annotation}`,
        at: { file, path: `${place}.x-cluster-conversion` },
        was: `keeps ${path}`,
        is: other === undefined ? 'not read' : `${path} is kept in ${other}`,
        stability: stabilityOf(each.groupVersion.version),
        release: after.release,
      });
    }
  }
}

/** @returns the paths that the steps of a conversion keep in annotations, by the names of these */
function keptBy({ conversion }: StructModel): Map<string, string> {
  return new Map(
    (conversion?.steps ?? []).flatMap((step) => (step.op === 'keepInAnnotation' ? [[step.annotation, step.path] as const] : [])),
  );
}
