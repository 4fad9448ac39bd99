import type { Model } from '../model/model.ts';
import type { Sources } from '../read/sources.ts';
import type { Report } from './diagnostic.ts';

/** The data that every check gets. Checks only read it. */
export interface CheckContext {
  readonly model: Model;
  readonly sources: Sources;
  readonly report: Report;
}
