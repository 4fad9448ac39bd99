/** Checks rules 3 and 4a: what the lifecycles of kinds state for any release, past or planned. */
import type { Lifecycle } from '../../../runtime/contract/kind.ts';
import { compareReleases } from '../../model/lifespan.ts';
import type { GroupVersion, Model, StructModel } from '../../model/model.ts';
import { isServed, type KindOfVersion, kindName, kindsOf, sameKind } from '../elements/kinds.ts';
import { groupVersionIn } from '../elements/step.ts';
import type { Place, PolicyReport, Violation } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import { BETA_SPAN, type ReleaseCalendar } from '../release-calendar.ts';
import { isLessStable, stabilityOf } from '../stability.ts';
import { KindFamilies } from './families.ts';

/** Everything that the checks of one lifecycle need. */
interface Life {
  readonly each: KindOfVersion;
  readonly lifecycle: Lifecycle;
  readonly others: readonly KindOfVersion[];
  readonly replacement: KindOfVersion | undefined;
  readonly calendar: ReleaseCalendar;
  /** The current release: what should have been done by now and has not been is late. */
  readonly current: string;
  readonly tell: (code: PolicyCode, what: Pick<Violation, 'was' | 'is' | 'release'> & Partial<Violation>) => void;
  readonly report: PolicyReport;
}

export function checkLifecycles(model: Model, calendar: ReleaseCalendar, report: PolicyReport): void {
  const families = new KindFamilies(model.all);
  for (const each of kindsOf(model.all)) {
    const { lifecycle } = each.kind;
    if (lifecycle !== undefined && !isListOfSame(each))
      checkLife(lifeOf(each, lifecycle, families, { calendar, current: model.release, report }));
  }
}

/** A list has the lifecycle of its elements, so what is wrong with both is reported once, for the elements. */
function isListOfSame({ groupVersion, kind }: KindOfVersion): boolean {
  const element = elementOf(groupVersion, kind);
  const dates = ({ introduced, deprecated, removed }: Partial<Lifecycle> = {}): string => JSON.stringify([introduced, deprecated, removed]);
  return element !== undefined && dates(element.lifecycle) === dates(kind.lifecycle);
}

function elementOf({ types }: GroupVersion, { name }: StructModel): StructModel | undefined {
  return types.find((type): type is StructModel => type.kind === 'struct' && type.list === name);
}

/** Whether the elements of the list are gone from the later schemas as well. */
function goesWithElements({ groupVersion, kind }: KindOfVersion, after: Model): boolean {
  const element = elementOf(groupVersion, kind);
  return (
    element !== undefined && sameKind(after.all, { groupVersion, kind: element }) === undefined && isListOfSame({ groupVersion, kind })
  );
}

/**
 * Checks a kind that the later schemas lack. It counts as removed in the release that its lifecycle states if that is out, otherwise in the current one.
 * @param model the earlier schemas
 * @param after the later schemas, where other kinds of its version may still be served
 */
export function checkDeletedKind(
  each: KindOfVersion,
  {
    model,
    calendar,
    report,
    release,
    after,
  }: { model: Model; calendar: ReleaseCalendar; report: PolicyReport; release: string; after: Model },
): void {
  const { lifecycle } = each.kind;
  if (lifecycle === undefined || goesWithElements(each, after)) return;
  const { resources = [] } = groupVersionIn(after, each.groupVersion.folder) ?? {};
  const removed = lifecycle.removed !== undefined && compareReleases(lifecycle.removed, release) <= 0 ? lifecycle.removed : release;
  const life = lifeOf(each, { ...lifecycle, removed }, new KindFamilies(model.all), { calendar, current: release, report });
  checkRemoval(resources.length > 0 ? { ...life, tell: (_code, what) => life.tell('CP107', { ...what, is: 'not there' }) } : life);
}

function lifeOf(
  each: KindOfVersion,
  lifecycle: Lifecycle,
  families: KindFamilies,
  { report, ...context }: Pick<Life, 'calendar' | 'current' | 'report'>,
): Life {
  const { groupVersion, kind } = each;
  const element = kindName(groupVersion, kind.name);
  const at = lifecyclePlace(each);
  return {
    each,
    lifecycle,
    others: families.othersOf(each),
    replacement: families.replacementOf(each),
    ...context,
    report,
    tell: (code, what) => report.violation(code, { element, at, ...what }),
  };
}

/** Each version states its own lifecycle, even if the schema of its kind stands in another version's document. */
export function lifecyclePlace({ groupVersion, kind }: KindOfVersion): Place {
  return { file: groupVersion.source, path: `components.schemas.${kind.name}.x-cluster-lifecycle` };
}

function checkLife(life: Life): void {
  checkReplacement(life);
  checkDeprecation(life);
  checkRemoval(life);
}

/** Rule 3, for the replacement that is named. */
function checkReplacement({ each, replacement, lifecycle, tell, calendar }: Life): void {
  if (replacement === undefined) return;
  const { version } = each.groupVersion;
  const other = replacement.groupVersion.version;
  const release = lifecycle.deprecated ?? lifecycle.removed ?? lifecycle.introduced;
  const stability = stabilityOf(version);
  const name = kindName(replacement.groupVersion, replacement.kind.name);
  if (isLessStable(stabilityOf(other), stabilityOf(version)))
    tell('CP301', { was: stabilityOf(version), is: `replaced by ${name}, which is ${stabilityOf(other)}`, release, stability });
  const [removed, gone] = [lifecycle.removed, replacement.kind.lifecycle?.removed];
  if (gone !== undefined && (removed === undefined || compareReleases(gone, removed) < 0))
    tell('CP303', {
      was: `replaced by ${name}`,
      is: `${name} is removed in ${calendar.named(gone)}, ${removed === undefined ? 'and this version is not' : `this version in ${removed}`}`,
      release: gone,
      stability,
    });
}

/** Rules 3 and 4a, for the deprecation. */
function checkDeprecation(life: Life): void {
  const { each, lifecycle, others, replacement, tell } = life;
  const { deprecated } = lifecycle;
  if (stabilityOf(each.groupVersion.version) === 'beta') checkTimeOfDeprecation(life);
  if (deprecated === undefined) return;
  const own = stabilityOf(each.groupVersion.version);
  const served = others.filter(({ kind }) => isServed(kind, deprecated));
  const stableEnough = served.filter(({ groupVersion }) => !isLessStable(stabilityOf(groupVersion.version), own));
  // `checkReplacement` reports a named replacement that is less stable. A version that is deprecated as well is none to go to, unless all are.
  if (replacement !== undefined && isLessStable(stabilityOf(replacement.groupVersion.version), own)) return;
  const stays = stableEnough.filter(({ kind }) => !isDeprecated(kind.lifecycle, deprecated));
  if (stays.length > 0) return;
  const weaker = served.filter(
    ({ groupVersion, kind }) => isLessStable(stabilityOf(groupVersion.version), own) && !isDeprecated(kind.lifecycle, deprecated),
  );
  if (weaker.length > 0) {
    const names = weaker.map(({ groupVersion }) => groupVersion.version).join(', ');
    tell('CP301', {
      was: own,
      is: `deprecated in ${deprecated}, when only ${names} can take its place`,
      release: deprecated,
      stability: own,
    });
  } else if (replacement !== undefined && !isServed(replacement.kind, deprecated))
    tell('CP302', {
      was: `replaced by ${kindName(replacement.groupVersion, replacement.kind.name)}`,
      is: `deprecated in ${deprecated}, before ${replacement.kind.lifecycle?.introduced}, which has the replacement`,
      release: deprecated,
      stability: own,
    });
}

function isDeprecated(lifecycle: Lifecycle | undefined, release: string): boolean {
  return lifecycle?.deprecated !== undefined && compareReleases(lifecycle.deprecated, release) <= 0;
}

function checkTimeOfDeprecation({ each, lifecycle, calendar, current, tell }: Life): void {
  const { introduced, deprecated } = lifecycle;
  const late = calendar.firstBeyond(introduced, BETA_SPAN);
  const end = deprecated ?? lifecycle.removed;
  if (late === undefined || !calendar.has(introduced)) return;
  if (end === undefined ? compareReleases(current, late) < 0 : compareReleases(end, late) < 0) return;
  tell('CP403', {
    was: `introduced in ${calendar.named(introduced)}`,
    is: deprecated === undefined ? `not deprecated in ${calendar.named(end ?? current)}` : `deprecated in ${calendar.named(deprecated)}`,
    release: late,
    through: end === undefined ? current : lastBefore(calendar, end, late),
    remedy: `Deprecate ${each.groupVersion.version} before ${calendar.named(late)}: 9 months or 3 releases after its introduction at the latest.`,
  });
}

/** @returns the last release that has something which ends in `end` and is late from `late` on */
function lastBefore(calendar: ReleaseCalendar, end: string, late: string): string {
  const last = calendar.before(end) ?? end;
  return compareReleases(last, late) < 0 ? late : last;
}

/** Rules 4a and 3, for the removal. */
function checkRemoval(life: Life): void {
  const { each, lifecycle, calendar, tell, report } = life;
  const { removed, deprecated } = lifecycle;
  const stability = stabilityOf(each.groupVersion.version);
  const element = kindName(each.groupVersion, each.kind.name);
  if (removed === undefined) {
    if (stability === 'beta' && deprecated !== undefined) checkOverdue(life, deprecated);
    return;
  }
  const release = removed;
  if (stability === 'alpha') return report.allowed({ element, title: 'alpha version is removed', why: 'alpha', release });
  if (stability === 'stable') {
    if (isOfAnotherMajor(lifecycle.introduced, removed))
      return report.allowed({ element, title: 'version is removed', why: 'removed in time', release });
    return tell('CP401', { was: 'stable', is: `removed in ${calendar.named(removed)}`, release });
  }
  if (deprecated === undefined) tell('CP402', { was: 'beta, not deprecated', is: `removed in ${calendar.named(removed)}`, release });
  else if (!calendar.isAtLeast(deprecated, removed, BETA_SPAN))
    tell('CP402', {
      was: `deprecated in ${calendar.named(deprecated)}`,
      is: `removed in ${calendar.named(removed)}`,
      release,
      remedy: `Serve it until ${calendar.whenPassed(deprecated, BETA_SPAN)}: 9 months and 3 releases after its deprecation.`,
    });
  else {
    report.allowed({ element, title: 'version is removed', why: 'removed in time', release });
    checkOverdue(life, deprecated);
  }
}

function isOfAnotherMajor(one: string, other: string): boolean {
  return one.split('.')[0] !== other.split('.')[0];
}

function checkOverdue({ each, lifecycle: { removed }, calendar, current, tell }: Life, deprecated: string): void {
  const late = calendar.firstBeyond(deprecated, BETA_SPAN);
  if (late === undefined || compareReleases(removed ?? current, late) < (removed === undefined ? 0 : 1)) return;
  tell('CP404', {
    was: `deprecated in ${calendar.named(deprecated)}`,
    is: removed === undefined ? `served in ${calendar.named(current)}` : `removed in ${calendar.named(removed)}`,
    release: late,
    through: removed === undefined ? current : lastBefore(calendar, removed, late),
    remedy: `Remove ${each.groupVersion.version}: 9 months and 3 releases have passed.`,
  });
}
