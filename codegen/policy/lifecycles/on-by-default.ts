/** Checks which versions are served without being asked for (specification: Versioning). */
import { compareReleases } from '../../model/lifespan.ts';
import type { GroupVersion, Model } from '../../model/model.ts';
import { isServed } from '../elements/kinds.ts';
import { documentPlace, groupVersionIn, type Step, stabilityIn } from '../elements/step.ts';
import type { PolicyReport } from '../finding.ts';
import { stabilityOf } from '../stability.ts';

/** Beta versions that were introduced in this release or later are off by default; earlier ones stay on. */
const BETA_IS_OFF_SINCE = '1.22';
const PLACE = 'x-cluster-group-version';

/** @param models the models of releases, oldest first */
export function checkOnByDefault(models: readonly Model[], report: PolicyReport): void {
  const wrong = new Map<string, { groupVersion: GroupVersion; introduced: string; release: string; through: string }>();
  for (const { groupVersions, release } of models)
    for (const groupVersion of groupVersions) {
      const introduced = wronglyOn(groupVersion, release);
      if (introduced === undefined) continue;
      const known = wrong.get(groupVersion.folder);
      wrong.set(groupVersion.folder, { introduced, release, ...known, groupVersion, through: release });
    }
  for (const { groupVersion, introduced, release, through } of wrong.values())
    report.violation('CP405', {
      element: groupVersion.folder,
      at: documentPlace(groupVersion, PLACE),
      was: `${stabilityOf(groupVersion.version)}, introduced in ${introduced}`,
      is: 'on by default',
      release,
      through,
    });
}

/** @returns the release that introduced a kind because of which the version must be off; undefined if there is none */
function wronglyOn({ version, enabledByDefault, files, structural, types }: GroupVersion, release: string): string | undefined {
  const stability = stabilityOf(version);
  // Kinds of definitions were served as soon as the definition was there.
  if (!enabledByDefault || files || structural !== undefined || stability === 'stable') return undefined;
  const introductions = types.flatMap((type) =>
    type.kind === 'struct' && type.lifecycle !== undefined && isServed(type, release) ? [type.lifecycle.introduced] : [],
  );
  return introductions.find((introduced) => stability === 'alpha' || compareReleases(introduced, BETA_IS_OFF_SINCE) >= 0);
}

/** A version that is turned off is gone for everybody who does not ask for it. */
export function compareOnByDefault(step: Step): void {
  for (const before of step.before.groupVersions) {
    const after = groupVersionIn(step.after, before.folder);
    if (after === undefined || !before.enabledByDefault || after.enabledByDefault || before.files) continue;
    const kinds = new Map(after.types.map((type) => [type.name, type]));
    const stillServed = before.resources.some(({ kind }) => {
      const type = kinds.get(kind);
      return type?.kind === 'struct' && isServed(type, step.after.release);
    });
    if (stillServed)
      step.report.violation('CP406', {
        element: before.folder,
        at: documentPlace(after, PLACE),
        was: 'on by default',
        is: 'off by default',
        stability: stabilityIn(step, before),
        release: step.release,
      });
  }
}
