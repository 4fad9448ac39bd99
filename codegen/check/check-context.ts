import type { Model } from '../model/model.ts';
import type { Sources } from '../read/sources.ts';
import type { Report } from './diagnostic.ts';

/** What every check is given. */
export interface CheckContext {
  readonly model: Model;
  readonly sources: Sources;
  readonly report: Report;
}
