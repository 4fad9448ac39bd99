/** Compares the steps of conversions: what an object of an older version means in the stored version must not change (rule 1). */
import type { ConversionStep } from '../../../runtime/contract/kind.ts';
import { memberAtPath } from '../../check/members.ts';
import { placeOf } from '../../check/places.ts';
import type { Model, StructModel } from '../../model/model.ts';
import { isEqual } from '../elements/constraints.ts';
import { kindName, kindsOf, sameKind } from '../elements/kinds.ts';
import { type PolicyReport, shown } from '../finding.ts';
import { stabilityOf } from '../stability.ts';

/** What a step makes of something that an object says or leaves out. */
interface Meaning {
  /** What the step is about, such as `value Red of spec.colour`. */
  readonly of: string;
  readonly is: string;
  /** For a default: path in the stored version. A new default counts only if that had the member before. */
  readonly path?: string;
}

export function compareSteps(before: Model, after: Model, report: PolicyReport): void {
  for (const each of kindsOf(before.all)) {
    const later = sameKind(after.all, each);
    const [was, is] = [each.kind.conversion, later?.kind.conversion];
    // If the stored version moves, objects go another way; `prove-conversions.ts` tries that.
    if (later === undefined || was === undefined || is === undefined || !isEqual(targetOf(was), targetOf(is))) continue;
    const element = kindName(each.groupVersion, each.kind.name);
    const { file, path } = placeOf(later.groupVersion, later.kind);
    const at = { file, path: `${path}.x-cluster-conversion` };
    const stored = storedKind(before, was);
    for (const [of, from, to] of differences(meaningsOf(was.steps), meaningsOf(is.steps), stored, before))
      report.violation('CP125', {
        element: `${element} ${of}`,
        at,
        was: from,
        is: to,
        stability: stabilityOf(each.groupVersion.version),
        release: after.release,
      });
  }
}

type Conversion = NonNullable<StructModel['conversion']>;

function targetOf({ group, version, kind }: Conversion): object {
  return { group, version, kind };
}

function storedKind(model: Model, { group, version, kind }: Conversion): StructModel | undefined {
  const found = kindsOf(model.all).find(
    (each) => each.groupVersion.group === group && each.groupVersion.version === version && each.kind.name === kind,
  );
  return found?.kind;
}

function meaningsOf(steps: readonly ConversionStep[]): Meaning[] {
  return steps.flatMap((step): Meaning[] => {
    if (step.op === 'rename') return [{ of: step.from, is: `stored as ${step.to}` }];
    if (step.op === 'default') return [{ of: step.path, is: `default ${shown(step.value)}`, path: step.path }];
    if (step.op === 'mapValues')
      return Object.entries(step.values).map(([here, hub]) => ({ of: `value ${here} of ${step.path}`, is: `stored as ${hub}` }));
    return [];
  });
}

/** Something new is a difference only if it is about a member that was there. */
function differences(
  before: readonly Meaning[],
  after: readonly Meaning[],
  stored: StructModel | undefined,
  model: Model,
): [of: string, was: string, is: string][] {
  const gone = before.flatMap(({ of, is: was }): [string, string, string][] => {
    const same = after.find((each) => each.of === of);
    return same?.is === was ? [] : [[of, was, same?.is ?? 'not stated']];
  });
  const known = new Set(before.map(({ of }) => of));
  const made = after.flatMap(({ of, is, path }): [string, string, string][] => {
    const wasThere = path !== undefined && stored !== undefined && memberAtPath(model.all, stored, path) !== undefined;
    return wasThere && !known.has(of) ? [[of, 'no default', is]] : [];
  });
  return [...gone, ...made];
}
