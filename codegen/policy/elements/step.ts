/** A way from one state of the API to a later one. */
import type { GroupVersion, Model } from '../../model/model.ts';
import type { Place, PolicyReport } from '../finding.ts';
import { type Stability, stabilityOf } from '../stability.ts';

export interface Step {
  readonly before: Model;
  readonly after: Model;
  /** the release that brings the difference to users */
  readonly release: string;
  readonly report: PolicyReport;
  /** how alpha versions are judged; absent: they are free to change */
  readonly alpha?: 'as beta';
}

/** What all elements of a group version are. */
export function stabilityIn(step: Step, { version }: Pick<GroupVersion, 'version'>): Stability {
  const stability = stabilityOf(version);
  return stability === 'alpha' && step.alpha !== undefined ? 'beta' : stability;
}

export function groupVersionIn(model: Model, folder: string): GroupVersion | undefined {
  return model.groupVersions.find((each) => each.folder === folder);
}

/** Whole document of a group version. */
export function documentPlace({ source }: GroupVersion, path = ''): Place {
  return { file: source, path };
}
