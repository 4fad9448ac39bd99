/** Checks rules 5a to 11b: flags, behaviours, feature gates and metrics, each by its table. */
import type { Model } from '../model/model.ts';
import type { PolicyReport } from './finding.ts';
import { isOut } from './lifecycles/rewritten.ts';
import { ReleaseCalendar } from './release-calendar.ts';
import { checkBehaviours, compareBehaviours } from './tables/behaviours.ts';
import { checkFeatureGates, compareFeatureGates } from './tables/feature-gates.ts';
import { checkFlags, compareFlags } from './tables/flags.ts';
import { checkMetrics, compareMetrics } from './tables/metrics.ts';
import type { PolicyTables } from './tables/tables-step.ts';

/** Checks what one state states by itself, without an earlier one. */
export function checkTables(after: PolicyTables, { release, releases }: Model, report: PolicyReport): void {
  const step = { after, calendar: new ReleaseCalendar(releases), release, report };
  checkFlags(step);
  checkBehaviours(step);
  checkFeatureGates(step);
  checkMetrics(step);
}

/** A state of the schemas with its tables. */
export interface State {
  /** The model at the state's current release. */
  readonly model: Model;
  readonly tables: PolicyTables;
}

export function compareTableStates(before: State, after: State, report: PolicyReport): void {
  const { release, releases } = after.model;
  const step = {
    before: before.tables,
    after: after.tables,
    calendar: new ReleaseCalendar(releases),
    release,
    isOut: isOut(before.model, after.model),
    report,
  };
  compareFlags(step);
  compareBehaviours(step);
  compareFeatureGates(step);
  compareMetrics(step);
}
