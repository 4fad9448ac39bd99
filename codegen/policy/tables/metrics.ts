/** Checks rules 11a and 11b: metrics. */
import { compareReleases } from '../../model/lifespan.ts';
import { METRICS_FILE, type MetricRow } from '../../read/metrics-file.ts';
import { isEqual } from '../elements/constraints.ts';
import { shown, type Violation } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import type { ReleaseCalendar, Span } from '../release-calendar.ts';
import { isLessStable, type Stability } from '../stability.ts';
import type { TablesStep } from './tables-step.ts';

/** How long a metric works at least, and how long after its deprecation. Then it is hidden, and one release later it may be deleted. */
const LIVES: Readonly<Record<MetricRow['stability'], Span>> = {
  STABLE: { releases: 4, months: 12 },
  BETA: { releases: 2, months: 8 },
  ALPHA: { releases: 0, months: 0 },
};
const NOTICES: Readonly<Record<MetricRow['stability'], Span>> = {
  STABLE: { releases: 3, months: 9 },
  BETA: { releases: 1, months: 4 },
  ALPHA: { releases: 0, months: 0 },
};

type Tell = (code: PolicyCode, what: Pick<Violation, 'was' | 'is'> & Partial<Violation> & { member?: string }) => void;

function stabilityOf({ stability }: MetricRow): Stability {
  return stability.toLowerCase() as Stability;
}

function tellOf(name: string, row: MetricRow, release: string, report: TablesStep['report']['violation']): Tell {
  return (code, { member, ...what }) =>
    report(code, {
      element: `metric ${name}${member === undefined ? '' : ` ${member}`}`,
      at: { file: METRICS_FILE, path: name },
      stability: stabilityOf(row),
      release,
      ...what,
    });
}

/** Checks the metrics of one state by itself. */
export function checkMetrics({
  after: { metrics = {} },
  calendar,
  release,
  report,
}: Pick<TablesStep, 'after' | 'calendar' | 'release' | 'report'>): void {
  for (const [name, row] of Object.entries(metrics)) {
    const deletion = row.deprecated === undefined ? undefined : deletedIn(row.deprecated, row, calendar);
    if (deletion === undefined || compareReleases(release, deletion) < 0) continue;
    const tell = tellOf(name, row, deletion, report.violation);
    tell('CP1105', { was: `deprecated in ${row.deprecated}, to be deleted in ${deletion}`, is: `there in ${release}`, through: release });
  }
}

/** @returns the first release in which the metric may be deleted; undefined if that is not known yet */
function deletedIn(deprecated: string, { stability }: MetricRow, calendar: ReleaseCalendar): string | undefined {
  const hidden = calendar.firstAfter(deprecated, NOTICES[stability]);
  return hidden === undefined ? undefined : calendar.after(hidden);
}

export function compareMetrics(step: TablesStep): void {
  const { before, after, isOut, release, report } = step;
  if (before.metrics === undefined || after.metrics === undefined) return;
  for (const [name, row] of Object.entries(before.metrics)) {
    const tell = tellOf(name, row, release, report.violation);
    const now = after.metrics[name];
    if (now === undefined) {
      checkEnd(step, name, row, tell);
      continue;
    }
    compareMetric(row, now, tell);
    if (isLongerStable(row, now, isOut))
      tell('CP1106', { rule: '11a', was: `${row.stability} since ${row.since ?? 'ever'}`, is: `${now.stability} since ${now.since}` });
    const [was, is] = [row.deprecated, now.deprecated];
    if (is !== undefined && isOut(is) && (was === undefined || compareReleases(is, was) < 0))
      tell('CP1106', { was: was === undefined ? 'not deprecated' : `deprecated in ${was}`, is: `deprecated in ${is}` });
  }
  for (const [name, row] of Object.entries(after.metrics)) {
    const { deprecated } = row;
    if (before.metrics[name] !== undefined || deprecated === undefined || !isOut(deprecated)) continue;
    tellOf(name, row, release, report.violation)('CP1106', { was: 'not there', is: `deprecated in ${deprecated}` });
  }
}

/** Whether a metric now claims to have been as stable as it is in releases that are out, in which it was not. */
function isLongerStable(before: MetricRow, { since }: MetricRow, isOut: (release: string) => boolean): boolean {
  if (since === undefined || !isOut(since)) return false;
  return before.since === undefined || compareReleases(since, before.since) < 0;
}

function checkEnd({ calendar, release, report }: TablesStep, name: string, row: MetricRow, tell: Tell): void {
  const { deprecated, since = '' } = row;
  if (stabilityOf(row) === 'alpha') return report.allowed({ element: `metric ${name}`, title: 'metric is gone', why: 'alpha', release });
  const life = LIVES[row.stability];
  const livesLong = calendar.isAtLeast(since, release, life);
  if (!livesLong)
    tell('CP1104', {
      was: `${row.stability} since ${calendar.named(since)}`,
      is: 'not there',
      remedy: `Keep it until ${calendar.whenPassed(since, life)}.`,
    });
  const deletion = deprecated === undefined ? undefined : deletedIn(deprecated, row, calendar);
  if (deprecated === undefined) tell('CP1101', { was: 'not deprecated', is: 'not there' });
  else if (deletion === undefined || compareReleases(release, deletion) < 0)
    tell('CP1101', {
      was: `deprecated in ${calendar.named(deprecated)}`,
      is: 'not there',
      remedy: `Let it be hidden first, and delete it in ${deletion ?? 'the release after that'}.`,
    });
  else if (livesLong) report.allowed({ element: `metric ${name}`, title: 'metric is gone', why: 'removed in time', release });
}

/** The labels of a stable metric must stay as they are. A beta metric may get more of them, but lose none. */
function compareMetric(before: MetricRow, after: MetricRow, tell: Tell): void {
  if (before.type !== after.type) tell('CP1102', { member: 'type', was: before.type, is: after.type });
  const [labels, now] = [before.labels ?? [], after.labels ?? []];
  for (const label of labels.filter((each) => !now.includes(each)))
    tell('CP1102', { member: `label ${label}`, was: 'there', is: 'not there' });
  if (before.stability === 'STABLE')
    for (const label of now.filter((each) => !labels.includes(each)))
      tell('CP1102', { member: `label ${label}`, was: 'not there', is: 'there' });
  if (before.stability === 'STABLE' && !isEqual(before.buckets, after.buckets))
    tell('CP1102', { member: 'buckets', was: shown(before.buckets), is: shown(after.buckets) });
  if (isLessStable(stabilityOf(after), stabilityOf(before))) tell('CP1103', { was: before.stability, is: after.stability });
}
