/** Checks rules 7 and 8: behaviours that people rely on. */
import { compareReleases } from '../../model/lifespan.ts';
import { IDENTITY_FILE } from '../../model/tables.ts';
import { BEHAVIOURS_FILE, type BehaviourRow } from '../../read/behaviours-file.ts';
import { isEqual } from '../elements/constraints.ts';
import { shown, type Violation } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import type { ReleaseCalendar, Span } from '../release-calendar.ts';
import { isLessStable } from '../stability.ts';
import type { TablesStep } from './tables-step.ts';

/** A behaviour may go a year after its end was announced. */
const YEAR: Span = { releases: 0, months: 12 };

/** Whether an element, such as `default of flag workers`, changes with a behaviour whose end was announced a year ago or earlier. */
export function isAnnounced({ after: { behaviours = {} }, before, calendar, release }: TablesStep, element: string): boolean {
  return Object.entries(behaviours).some(([name, row]) => {
    const announced = before.behaviours?.[name]?.deprecated;
    return row.changes?.includes(element) === true && announced !== undefined && calendar.isAtLeast(announced, release, YEAR);
  });
}

/** Checks the behaviours of one state by itself. */
export function checkBehaviours({
  after: { behaviours = {} },
  calendar,
  release,
  report,
}: Pick<TablesStep, 'after' | 'calendar' | 'release' | 'report'>): void {
  for (const [name, row] of Object.entries(behaviours)) {
    const tell = tellOf(name, row, release, report.violation);
    if (row.removed !== undefined) checkEnd(row, row.removed, calendar, tell);
    const by = behaviours[row.replacement ?? ''];
    if (by !== undefined && isLessStable(by.stability ?? 'stable', row.stability ?? 'stable'))
      tell('CP801', { was: row.stability ?? 'stable', is: `replaced by ${row.replacement}, which is ${by.stability}` });
  }
}

type Tell = (code: PolicyCode, what: Pick<Violation, 'was' | 'is'> & Partial<Violation>) => void;

function tellOf(name: string, { stability = 'stable' }: BehaviourRow, release: string, report: TablesStep['report']['violation']): Tell {
  return (code, what) =>
    report(code, { element: `behaviour ${name}`, at: { file: BEHAVIOURS_FILE, path: name }, stability, release, ...what });
}

function checkEnd({ deprecated }: BehaviourRow, removed: string, calendar: ReleaseCalendar, tell: Tell): void {
  const is = `gone in ${calendar.named(removed)}`;
  if (deprecated === undefined) tell('CP701', { was: 'not deprecated', is, release: removed });
  else if (!calendar.isAtLeast(deprecated, removed, YEAR))
    tell('CP701', {
      was: `deprecated in ${calendar.named(deprecated)}`,
      is,
      release: removed,
      remedy: `Keep it until ${calendar.whenPassed(deprecated, YEAR)}: a year after its announcement.`,
    });
}

export function compareBehaviours(step: TablesStep): void {
  compareIdentity(step);
  const { before, after, calendar, release, isOut, report } = step;
  if (before.behaviours === undefined || after.behaviours === undefined) return;
  for (const [name, row] of Object.entries(before.behaviours)) {
    const tell = tellOf(name, row, release, report.violation);
    const now = after.behaviours[name];
    const wasGone = row.removed !== undefined && compareReleases(row.removed, release) <= 0;
    if (now === undefined && !wasGone) checkEnd(row, release, calendar, tell);
    const [was, is] = [row.deprecated, now?.deprecated];
    if (is !== undefined && isOut(is) && (was === undefined || compareReleases(is, was) < 0))
      tell('CP703', { was: was === undefined ? 'not deprecated' : `deprecated in ${was}`, is: `deprecated in ${is}` });
    if (now !== undefined && isLessStable(now.stability ?? 'stable', row.stability ?? 'stable'))
      tell('CP801', { was: row.stability ?? 'stable', is: now.stability ?? 'stable' });
  }
  for (const [name, row] of Object.entries(after.behaviours)) {
    const { deprecated } = row;
    if (before.behaviours[name] !== undefined || deprecated === undefined || !isOut(deprecated)) continue;
    tellOf(name, row, release, report.violation)('CP703', { was: 'not stated', is: `deprecated in ${deprecated}` });
  }
}

/** Names stand in stored objects and in clients, so none may change. The behaviours beside them are those of the dialects, and may after an announcement. */
function compareIdentity(step: TablesStep): void {
  const { before, after, release, report } = step;
  const rows = (['names', 'behaviour'] as const).flatMap((table) =>
    Object.entries(before.identity[table]).flatMap(([name, row]) =>
      Object.entries(row).map(([dialect, was]) => ({ table, name, dialect, was, is: after.identity[table][name]?.[dialect as 'cluster'] })),
    ),
  );
  for (const { table, name, dialect, was, is } of rows) {
    if (isEqual(was, is)) continue;
    const what = {
      at: { file: IDENTITY_FILE, path: `${table}.${name}` },
      was: shown(was),
      is: is === undefined ? 'not there' : shown(is),
      release,
    };
    if (table === 'names') report.violation('CP124', { element: `identifier ${name} of ${dialect}`, ...what });
    else if (!isAnnounced(step, `behaviour ${name} of identity`))
      report.violation('CP702', { element: `behaviour ${name} of ${dialect}`, ...what });
  }
}
