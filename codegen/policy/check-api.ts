/** Checks rules 1, 3, 4a and 4b: compares one state of the API with an earlier one, and each release of the later state with the release before it. */
import type { Model, ModelData } from '../model/model.ts';
import { compareAnnotations } from './conversions/annotations.ts';
import { compareSteps } from './conversions/steps.ts';
import { compareFiles } from './elements/files.ts';
import { isServed, kindsOf, sameKind } from './elements/kinds.ts';
import { compareResources } from './elements/resources.ts';
import type { Step } from './elements/step.ts';
import { compareStructural } from './elements/structural.ts';
import { compareTables } from './elements/tables.ts';
import { compareTypes } from './elements/types.ts';
import { compareUsedNumbers } from './elements/used-numbers.ts';
import type { PolicyReport } from './finding.ts';
import { checkDeletedKind, checkLifecycles } from './lifecycles/lifecycles.ts';
import { checkOnByDefault, compareOnByDefault } from './lifecycles/on-by-default.ts';
import { checkRewritten } from './lifecycles/rewritten.ts';
import { comparePreferred, compareReadable, compareStorage } from './lifecycles/storage.ts';
import { ReleaseCalendar } from './release-calendar.ts';

/** Compares each release that the schemas describe with the one before it. */
export function checkReleases(model: Model, report: PolicyReport): void {
  const calendar = new ReleaseCalendar(model.releases);
  const models = toldReleases(model.all).map((name) => model.at(name));
  checkLifecycles(model, calendar, report);
  checkOnByDefault(models, report);
  compareUsedNumbers(model.all, model.all, model.release, report);
  models.forEach((after, index) => {
    const before = models[index - 1];
    if (before !== undefined) compareElements({ before, after, release: after.release, report });
  });
}

/** @returns the oldest release of which the schemas state everything, and those after it */
function toldReleases({ releases, oldestRelease }: ModelData): string[] {
  const names = releases.map(({ name }) => name);
  return names.slice(Math.max(names.indexOf(oldestRelease), 0));
}

/**
 * @param before the earlier schemas, at their current release
 * @param after the later schemas, at theirs
 */
export function compareStates(before: Model, after: Model, report: PolicyReport): void {
  const calendar = new ReleaseCalendar(after.releases);
  const step: Step = { before, after, release: after.release, report };
  checkRewritten(before, after, report);
  // Servers of the earlier release still have what that had, so its API must not change in the later schemas. Then follows what the later release has.
  if (calendar.has(before.release) && before.release !== after.release) compareElements({ ...step, after: after.at(before.release) });
  compareElements(step);
  for (const each of kindsOf(before))
    if (isServed(each.kind, before.release) && sameKind(after.all, each) === undefined)
      checkDeletedKind(each, { model: before, calendar, report, release: after.release, after });
  compareUsedNumbers(before.all, after.all, after.release, report);
  compareAnnotations(before, after, report);
  compareSteps(before, after, report);
  compareStorage(step, calendar);
  comparePreferred(step, calendar);
}

/** Compares the elements to which rule 1 applies, and whether stored versions can still be read. */
function compareElements(step: Step): void {
  compareResources(step);
  compareTypes(step);
  compareStructural(step);
  compareTables(step);
  compareFiles(step);
  compareOnByDefault(step);
  compareReadable(step);
}
