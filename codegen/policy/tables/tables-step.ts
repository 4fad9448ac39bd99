/** A step from one state of the tables to a later one. */
import type { IdentityData } from '../../../runtime/contract/identity.ts';
import type { FeatureGate } from '../../model/model.ts';
import type { BehaviourRows } from '../../read/behaviours-file.ts';
import type { FlagRow } from '../../read/flags-file.ts';
import type { MetricRows } from '../../read/metrics-file.ts';
import type { PolicyReport } from '../finding.ts';
import type { ReleaseCalendar } from '../release-calendar.ts';

/** The tables of one state; those that it does not have are absent. */
export interface PolicyTables {
  readonly identity: IdentityData;
  readonly featureGates: readonly FeatureGate[];
  readonly flags?: readonly FlagRow[];
  readonly nodeAgentFlags?: readonly FlagRow[];
  readonly behaviours?: BehaviourRows;
  readonly metrics?: MetricRows;
}

/** Two states whose tables are compared, and who is told of the differences. */
export interface TablesStep {
  readonly before: PolicyTables;
  readonly after: PolicyTables;
  readonly calendar: ReleaseCalendar;
  /** The release of the later state. */
  readonly release: string;
  /** Whether a release was out when the earlier state was made. */
  readonly isOut: (release: string) => boolean;
  readonly report: PolicyReport;
}
