/** Schemas of kinds that are stated as definitions state theirs: compared as those of definitions are, by the rules for their version. */
import type { StructuralKind } from '../../model/model.ts';
import { compareSchemas } from '../definitions/compare-schemas.ts';
import { groupVersionIn, type Step, stabilityIn } from './step.ts';

export function compareStructural(step: Step): void {
  for (const before of step.before.groupVersions) {
    const after = groupVersionIn(step.after, before.folder);
    if (before.structural === undefined || after?.structural === undefined) continue;
    for (const kind of before.structural) {
      const later: StructuralKind | undefined = after.structural.find(({ name }) => name === kind.name);
      // That a kind is gone is told by others.
      if (later === undefined) continue;
      compareSchemas(kind.schema, later.schema, (code, path, keyword, was, is) =>
        step.report.violation(code, {
          element: [before.folder, kind.name, path].filter((part) => part !== '').join(' '),
          at: { file: after.source, path: `components.schemas.${kind.name}` },
          was: [keyword, was].filter((part) => part !== '').join(' '),
          is: [keyword, is].filter((part) => part !== '').join(' '),
          stability: stabilityIn(step, before),
          release: step.release,
        }),
      );
    }
  }
}
