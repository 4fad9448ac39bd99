/** Compares kinds of files that programs read: what a file may say, and what it may leave out. */
import type { StructModel } from '../../model/model.ts';
import { lifecyclePlace } from '../lifecycles/lifecycles.ts';
import type { PolicyCode } from '../policy-codes.ts';
import { isServed, kindName, kindsOf, sameKind } from './kinds.ts';
import { type Step, stabilityIn } from './step.ts';

export function compareFiles(step: Step): void {
  for (const each of kindsOf(step.before)) {
    const { groupVersion, kind } = each;
    const later = groupVersion.files ? sameKind(step.after, each) : undefined;
    if (later === undefined || !isServed(kind, step.before.release) || !isServed(later.kind, step.after.release)) continue;
    for (const [code, was, is] of differences(kind, later.kind))
      step.report.violation(code, {
        element: kindName(groupVersion, kind.name),
        at: { ...lifecyclePlace(later), path: `components.schemas.${kind.name}.x-cluster-file` },
        was,
        is,
        stability: stabilityIn(step, groupVersion),
        release: step.release,
      });
  }
}

function differences(before: StructModel, after: StructModel): [code: PolicyCode, was: string, is: string][] {
  const [old, now] = [before.file ?? {}, after.file ?? {}];
  const [was, is] = [old.kind ?? before.name, now.kind ?? after.name];
  return [
    ...(was === is ? [] : [['CP107', `kind ${was} in files`, `kind ${is} in files`] as [PolicyCode, string, string]]),
    ...(old.unnamed && !now.unnamed
      ? [['CP119', 'files need not say what they hold', 'files must say their kind and version'] as [PolicyCode, string, string]]
      : []),
    ...(old.unknownFields !== undefined && now.unknownFields === undefined
      ? [['CP119', 'unknown members are dropped', 'a file with unknown members is refused'] as [PolicyCode, string, string]]
      : []),
  ];
}
