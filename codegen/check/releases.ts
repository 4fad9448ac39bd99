/** Checks that releases, and the stages of feature gates, go forward in time, and that gates require known ones. */
import { compareReleases } from '../model/lifespan.ts';
import { FEATURE_GATES_FILE, RELEASES_FILE } from '../model/tables.ts';
import type { CheckContext } from './check-context.ts';

export function checkReleases({ model, report }: CheckContext): void {
  model.releases.forEach(({ name, date }, index) => {
    const before = model.releases[index - 1];
    if (before === undefined) return;
    const at = { file: RELEASES_FILE, path: `releases.${name}` };
    if (date <= before.date) report('CS054', at, `${name} of ${date} stands after ${before.name} of ${before.date}.`);
    if (compareReleases(name, before.name) <= 0) report('CS054', at, `${name} stands after ${before.name}.`);
  });
  const known = new Set(model.releases.map(({ name }) => name));
  const { currentRelease: current, oldestRelease: oldest } = model;
  for (const [path, release] of Object.entries({ current, oldest }))
    if (!known.has(release) && known.size > 0) report('CS050', { file: RELEASES_FILE, path }, `There is no release ${release}.`);
  if (compareReleases(oldest, current) > 0) report('CS054', { file: RELEASES_FILE, path: 'oldest' }, `${oldest} comes after ${current}.`);
  const gates = new Set(model.featureGates.map(({ name }) => name));
  for (const { name, stages } of model.featureGates)
    stages.forEach(({ release, requires = [] }, index) => {
      const at = { file: FEATURE_GATES_FILE, path: `${name}.${index}` };
      const before = stages[index - 1];
      if (!known.has(release) && known.size > 0) report('CS050', at, `There is no release ${release}.`);
      if (before !== undefined && compareReleases(release, before.release) <= 0)
        report('CS054', at, `The stage of ${release} stands after that of ${before.release}.`);
      for (const required of requires) if (!gates.has(required)) report('CS053', at, `There is no feature gate ${required}.`);
    });
}
