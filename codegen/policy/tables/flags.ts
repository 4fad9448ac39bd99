/** Checks rules 5a to 6: flags of command lines. They are for administrators unless they state otherwise. */
import { parseDuration } from '../../../runtime/schema/scalar/duration.ts';
import { compareReleases } from '../../model/lifespan.ts';
import { FLAGS_FILE, type FlagRow, NODE_AGENT_FLAGS_FILE } from '../../read/flags-file.ts';
import { isEqual } from '../elements/constraints.ts';
import { shown, type Violation } from '../finding.ts';
import type { PolicyCode, PolicyRule } from '../policy-codes.ts';
import type { Span } from '../release-calendar.ts';
import { isLessStable, type Stability } from '../stability.ts';
import { isAnnounced } from './behaviours.ts';
import type { TablesStep } from './tables-step.ts';

/** How long a flag works after it was deprecated. */
const SPANS: Readonly<Record<'administrators' | 'users', Readonly<Record<Stability, Span>>>> = {
  users: { stable: { releases: 2, months: 12 }, beta: { releases: 1, months: 3 }, alpha: { releases: 0, months: 0 } },
  administrators: { stable: { releases: 1, months: 6 }, beta: { releases: 1, months: 3 }, alpha: { releases: 0, months: 0 } },
};

type Tell = (code: PolicyCode, what: Pick<Violation, 'was' | 'is'> & { rule?: PolicyRule; remedy?: string; member?: string }) => void;

/** The table of flags of each program, with its file. */
const TABLES = [
  ['flags', FLAGS_FILE],
  ['nodeAgentFlags', NODE_AGENT_FLAGS_FILE],
] as const;

/** Checks the flags of one state by itself. */
export function checkFlags({ after, release, report }: Pick<TablesStep, 'after' | 'release' | 'report'>): void {
  for (const [table, file] of TABLES) checkTable(after[table] ?? [], file, release, report);
}

function checkTable(flags: readonly FlagRow[], file: string, release: string, report: TablesStep['report']): void {
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  for (const flag of flags) {
    const { deprecated } = flag;
    if (deprecated === undefined) continue;
    const tell = tellOf(flag, file, release, report.violation);
    const by = byName.get(deprecated.replacement ?? '');
    if (by !== undefined && isLessStable(stabilityOf(by), stabilityOf(flag)))
      tell('CP503', { was: stabilityOf(flag), is: `replaced by --${by.name}, which is ${stabilityOf(by)}` });
    if (deprecated.warning === undefined) tell('CP601', { was: `deprecated in ${deprecated.release}`, is: 'says nothing when it is used' });
  }
}

export function compareFlags(step: TablesStep): void {
  for (const [table, file] of TABLES) {
    const { [table]: before } = step.before;
    const { [table]: after } = step.after;
    if (before !== undefined && after !== undefined) compareTable(step, before, after, file);
  }
}

function compareTable(step: TablesStep, before: readonly FlagRow[], after: readonly FlagRow[], file: string): void {
  const { report, release } = step;
  const now = new Map(after.map((flag) => [flag.name, flag]));
  for (const flag of before) {
    const tell = tellOf(flag, file, release, report.violation);
    const same = now.get(flag.name);
    if (same === undefined || (flag.status === 'effective' && same.status === 'accepted')) checkEnd(step, flag, same, tell);
    if (same !== undefined) compareFlag(step, flag, same, tell);
  }
  const known = new Set(before.map(({ name }) => name));
  for (const flag of after.filter(({ name }) => !known.has(name))) {
    const since = flag.deprecated?.release;
    // Nobody who gets the flag only now was told that it would end.
    if (since !== undefined && step.isOut(since))
      tellOf(flag, file, release, report.violation)('CP504', { was: 'not there', is: `deprecated in ${since}` });
  }
}

function stabilityOf({ stability = 'stable' }: FlagRow): Stability {
  return stability;
}

/** Rule 5a is about flags that users have, rule 5b about those that administrators have. */
function ruleOf({ audience }: FlagRow): PolicyRule {
  return audience === 'users' ? '5a' : '5b';
}

function tellOf(flag: FlagRow, file: string, release: string, report: TablesStep['report']['violation']): Tell {
  return (code, { member, ...what }) =>
    report(code, {
      element: `flag ${flag.name}${member === undefined ? '' : ` ${member}`}`,
      at: { file, path: `flags.${flag.name}` },
      stability: stabilityOf(flag),
      release,
      ...(['CP501', 'CP502', 'CP504', 'CP505'].includes(code) && { rule: ruleOf(flag) }),
      ...what,
    });
}

/** Checks a flag that is removed, or still accepted but without effect. */
function checkEnd({ calendar, release, report }: TablesStep, flag: FlagRow, after: FlagRow | undefined, tell: Tell): void {
  const span = SPANS[flag.audience ?? 'administrators'][stabilityOf(flag)];
  const since = flag.deprecated?.release;
  const is = after === undefined ? 'not there' : 'without effect';
  if (since === undefined) return tell('CP501', { was: 'not deprecated', is });
  if (calendar.isAtLeast(since, release, span))
    return report.allowed({ element: `flag ${flag.name}`, title: 'flag is gone', why: 'removed in time', release });
  tell('CP501', { was: `deprecated in ${calendar.named(since)}`, is, remedy: `Keep the flag until ${calendar.whenPassed(since, span)}.` });
}

function compareFlag(step: TablesStep, before: FlagRow, after: FlagRow, tell: Tell): void {
  if (before.type !== after.type) tell('CP502', { member: 'type', was: before.type, is: after.type });
  if (before.short !== undefined && before.short !== after.short)
    tell('CP502', { member: 'short form', was: before.short, is: shown(after.short) });
  if (before.unit !== undefined && before.unit !== after.unit) tell('CP502', { member: 'unit', was: before.unit, is: shown(after.unit) });
  compareValues(before, after, tell);
  if (!isEqual(before.default, after.default) && !isAnnounced(step, `default of flag ${before.name}`))
    tell('CP702', { member: 'default', was: shown(before.default), is: shown(after.default) });
  if (before.audience === 'users' && after.audience !== 'users') tell('CP505', { member: 'audience', was: 'users', is: 'administrators' });
  if (isLessStable(stabilityOf(after), stabilityOf(before))) tell('CP505', { was: stabilityOf(before), is: stabilityOf(after) });
  const [was, is] = [before.deprecated?.release, after.deprecated?.release];
  if (is !== undefined && step.isOut(is) && (was === undefined || compareReleases(is, was) < 0))
    tell('CP504', { was: was === undefined ? 'not deprecated' : `deprecated in ${was}`, is: `deprecated in ${is}` });
}

function compareValues(before: FlagRow, after: FlagRow, tell: Tell): void {
  const gone = after.values === undefined ? [] : (before.values ?? []).filter((value) => !after.values?.includes(value));
  for (const value of gone) tell('CP502', { member: `value ${value}`, was: 'taken', is: 'refused' });
  if (before.values === undefined && after.values !== undefined)
    tell('CP502', { member: 'values', was: 'any', is: after.values.join(', ') });
  if (before.bareKeys && !after.bareKeys) tell('CP502', { member: 'keys without a value', was: 'taken', is: 'refused' });
  for (const [member, was, is, tighter] of [
    ['minimum', before.minimum, after.minimum, (a: number, b: number) => b > a],
    ['maximum', before.maximum, after.maximum, (a: number, b: number) => b < a],
  ] as const) {
    if (is === undefined || isEqual(was, is)) continue;
    if (was === undefined || tighter(amountOf(was), amountOf(is))) tell('CP502', { member, was: shown(was), is: shown(is) });
  }
}

/** @returns the amount of a number, or of a duration such as 1m30s */
function amountOf(limit: string | number): number {
  return typeof limit === 'number' ? limit : Number(parseDuration(limit) ?? limit);
}
