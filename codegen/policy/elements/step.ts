/** A step from one state of the API to a later one. */
import type { GroupVersion, Model } from '../../model/model.ts';
import type { Place, PolicyReport } from '../finding.ts';
import { type Stability, stabilityOf } from '../stability.ts';

/** Two states whose elements are compared, and who is told of the differences. */
export interface Step {
  readonly before: Model;
  readonly after: Model;
  /** The release that brings the differences to users. */
  readonly release: string;
  readonly report: PolicyReport;
  /** How alpha versions are judged; absent: they are free to change. */
  readonly alpha?: 'as beta';
}

/** @returns how stable all elements of a group version are, unless they are behind a gate */
export function stabilityIn(step: Step, { version }: Pick<GroupVersion, 'version'>): Stability {
  const stability = stabilityOf(version);
  return stability === 'alpha' && step.alpha !== undefined ? 'beta' : stability;
}

export function groupVersionIn(model: Model, folder: string): GroupVersion | undefined {
  return model.groupVersions.find((each) => each.folder === folder);
}

/** @returns a place in the document of a group version; without `path` the whole document */
export function documentPlace({ source }: GroupVersion, path = ''): Place {
  return { file: source, path };
}
