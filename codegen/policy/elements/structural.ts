/**
 * Compares schemas of kinds that are stated as definitions state theirs. They are compared as those of definitions, and judged by the stability of their
 * version.
 */
import type { StructuralKind } from '../../model/model.ts';
import { compareSchemas } from '../definitions/compare-schemas.ts';
import { groupVersionIn, type Step, stabilityIn } from './step.ts';

export function compareStructural(step: Step): void {
  for (const before of step.before.groupVersions) {
    const after = groupVersionIn(step.after, before.folder);
    if (before.structural === undefined || after?.structural === undefined) continue;
    for (const kind of before.structural) {
      const later: StructuralKind | undefined = after.structural.find(({ name }) => name === kind.name);
      // The checks of lifecycles report a kind that is gone.
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
