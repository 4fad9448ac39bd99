/** Checks that what was stated for releases that are out stays as it was. Otherwise the times that the policy asks for could be made up afterwards. */
import type { Lifecycle } from '../../../runtime/contract/kind.ts';
import { compareReleases } from '../../model/lifespan.ts';
import type { Model } from '../../model/model.ts';
import { RELEASES_FILE } from '../../model/tables.ts';
import { isServed, kindName, kindsOf, sameKind } from '../elements/kinds.ts';
import type { PolicyReport } from '../finding.ts';
import { stabilityOf } from '../stability.ts';
import { lifecyclePlace } from './lifecycles.ts';

/**
 * @param before the earlier schemas, at their current release
 * @param after the later schemas, at theirs
 */
export function checkRewritten(before: Model, after: Model, report: PolicyReport): void {
  compareDates(before, after, report);
  for (const each of kindsOf(after.all)) {
    const { lifecycle } = each.kind;
    if (lifecycle === undefined) continue;
    for (const [was, is] of rewritten(sameKind(before.all, each)?.kind.lifecycle, lifecycle, isOut(before, after), before.release))
      report.violation('CP407', {
        element: kindName(each.groupVersion, each.kind.name),
        at: lifecyclePlace(each),
        was,
        is,
        stability: stabilityOf(each.groupVersion.version),
        release: after.release,
      });
  }
}

/** @returns whether a release was out when the earlier state was made; the release that both states work on was not */
export function isOut(before: Model, after: Model): (release: string) => boolean {
  const own = before.release === after.release ? -1 : 0;
  return (release) => compareReleases(release, before.release) <= own;
}

function rewritten(
  was: Lifecycle | undefined,
  is: Lifecycle,
  out: (release: string) => boolean,
  current: string,
): [was: string, is: string][] {
  const { introduced, deprecated, removed } = is;
  if (was === undefined) {
    // A kind that is gone by now may be added to the schemas at any time. One that is served must have been there.
    const made = out(introduced) && isServed({ lifecycle: is }, current);
    return made ? [[`not there in ${current}`, `introduced in ${introduced}`]] : [];
  }
  const found: [string, string][] = [];
  if (introduced !== was.introduced && (out(introduced) || out(was.introduced)))
    found.push([`introduced in ${was.introduced}`, `introduced in ${introduced}`]);
  if (deprecated !== undefined && isEarlier(deprecated, was.deprecated) && out(deprecated))
    found.push([was.deprecated === undefined ? 'not deprecated' : `deprecated in ${was.deprecated}`, `deprecated in ${deprecated}`]);
  if (was.removed !== undefined && out(was.removed) && (removed === undefined || isEarlier(was.removed, removed)))
    found.push([`removed in ${was.removed}`, removed === undefined ? 'not removed' : `removed in ${removed}`]);
  if (removed !== undefined && isEarlier(removed, was.removed) && out(removed))
    found.push([was.removed === undefined ? `served in ${current}` : `removed in ${was.removed}`, `removed in ${removed}`]);
  return found;
}

/** Whether a release comes before another one; any release does if the other one is undefined. */
export function isEarlier(release: string, other: string | undefined): boolean {
  return other === undefined || compareReleases(release, other) < 0;
}

function compareDates(before: Model, after: Model, report: PolicyReport): void {
  const out = isOut(before, after);
  const dates = new Map(after.releases.map(({ name, date }) => [name, date]));
  for (const { name, date } of before.releases) {
    const now = dates.get(name);
    if (!out(name) || now === date) continue;
    const at = { file: RELEASES_FILE, path: now === undefined ? 'releases' : `releases.${name}` };
    report.violation('CP408', { element: `release ${name}`, at, was: date, is: now ?? 'not there', release: after.release });
  }
  if (compareReleases(after.release, before.release) < 0)
    report.violation('CP408', {
      element: 'current release',
      at: { file: RELEASES_FILE, path: 'current' },
      was: before.release,
      is: after.release,
      release: after.release,
    });
}
