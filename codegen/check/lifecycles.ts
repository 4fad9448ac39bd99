/** Checks that every kind states since when it is there, and that the releases of its lifecycle follow each other. */
import type { Lifecycle } from '../../runtime/contract/kind.ts';
import { compareReleases } from '../model/lifespan.ts';
import type { CheckContext } from './check-context.ts';
import type { Report } from './diagnostic.ts';
import { findKind } from './members.ts';
import { placeOf } from './places.ts';

/** Checks the lifecycles of all releases, including those of versions that were removed or are not served yet. */
export function checkLifecycles({ model: { all: model }, report }: CheckContext): void {
  const known = new Set(model.releases.map(({ name }) => name));
  for (const groupVersion of model.groupVersions)
    for (const type of groupVersion.types) {
      if (type.kind !== 'struct') continue;
      const at = placeOf(groupVersion, type);
      const { lifecycle } = type;
      if (lifecycle === undefined) {
        if (type.topLevel) report('CS055', at, `${type.name} is a kind without a lifecycle.`);
        continue;
      }
      checkOrder(lifecycle, known, { file: at.file, path: `${at.path}.x-cluster-lifecycle` }, report);
      const { replacement: by } = lifecycle;
      if (by?.group === groupVersion.group && by.version === groupVersion.version && by.kind === type.name)
        report('CS052', at, 'The kind replaces itself.', 'Name another version of it, or another kind.');
      if (by !== undefined && findKind(model, by.group, by.version, by.kind) === undefined)
        report('CS052', at, `There is no kind ${by.kind} in version ${by.version} of group "${by.group}".`);
    }
}

function checkOrder(lifecycle: Lifecycle, known: ReadonlySet<string>, at: { file: string; path: string }, report: Report): void {
  const steps = (['introduced', 'deprecated', 'removed'] as const).flatMap((step) => {
    const release = lifecycle[step];
    return release === undefined ? [] : [{ step, release }];
  });
  steps.forEach(({ step, release }, index) => {
    const before = steps[index - 1];
    // An unknown release is reported as such, and is not compared with others.
    if (known.size > 0 && !known.has(release)) report('CS050', at, `There is no release ${release}.`);
    else if (before !== undefined && compareReleases(release, before.release) <= 0)
      report('CS051', at, `It is ${step} in ${release}, but ${before.step} in ${before.release}.`);
  });
}
