/** Runs checks on the API of each release by itself. */
import type { CheckContext } from './check-context.ts';
import type { Report } from './diagnostic.ts';
import { turningPoints } from './lifespans.ts';

/** Runs a check on the API of the model's release, then on one of each time in which the API was the same. What several releases have is reported once. */
export function eachRelease({ model, sources, report }: CheckContext, check: (context: CheckContext) => void): void {
  const told = new Set<string>();
  for (const release of new Set([model.release, ...turningPoints(model.all)])) {
    const inRelease: Report = (code, at, problem, remedy) => {
      const key = JSON.stringify([code, at.file, at.path, problem]);
      if (!told.has(key)) report(code, at, release === model.release ? problem : `In ${release}: ${problem}`, remedy);
      told.add(key);
    };
    check({ sources, model: model.at(release), report: inRelease });
  }
}
