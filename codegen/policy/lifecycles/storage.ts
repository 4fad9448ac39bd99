/** Checks rule 4b: which versions a group stores and prefers, and that stored objects can still be read. */
import { compareVersions } from '../../../runtime/contract/version-priority.ts';
import { resourcePlace } from '../../check/places.ts';
import { compareReleases } from '../../model/lifespan.ts';
import type { GroupVersion, Model, ResourceModel } from '../../model/model.ts';
import { isServed, type KindOfVersion, kindName, kindsOf, sameKind } from '../elements/kinds.ts';
import { documentPlace, groupVersionIn, type Step, stabilityIn } from '../elements/step.ts';
import type { ReleaseCalendar } from '../release-calendar.ts';
import { stabilityOf } from '../stability.ts';
import { KindFamilies } from './families.ts';

type Storage = NonNullable<ResourceModel['storage']>;

/** A resource that is stored, with the group version that states it. */
interface Stored {
  readonly groupVersion: GroupVersion;
  readonly resource: ResourceModel;
  readonly storage: Storage;
}

/** @param step from the earlier schemas at their current release to the later ones at theirs */
export function compareStorage(step: Step, calendar: ReleaseCalendar): void {
  const released = releasedBefore(step, calendar);
  const now = storedBy(step.after);
  for (const [prefix, { storage: was }] of storedBy(step.before)) {
    const stored = now.get(prefix);
    if (stored === undefined) checkMovedKeys(step, prefix);
    if (stored === undefined || (stored.storage.version === was.version && stored.storage.group === was.group)) continue;
    const { groupVersion, resource, storage: is } = stored;
    const text = ({ group, version, kind }: Storage): string => [...(was.group === is.group ? [] : [group]), version, kind].join(' ');
    const move = { was: `stored as ${text(was)}`, is: `stored as ${text(is)}` };
    const at = resourcePlace(groupVersion, resource.name, 'storage');
    const code = moveProblem(step.before, released, kindOf(step.before, was), kindOf(step.before, is), [was.version, is.version]);
    if (code !== undefined)
      step.report.violation(code === 'early' ? 'CP410' : 'CP413', {
        element: `${groupOf(groupVersion)} ${resource.name} storage`,
        at,
        ...move,
        stability: stabilityIn(step, { version: was.version }),
        release: step.release,
      });
  }
}

/** Objects are found by their keys, so nobody finds those that are stored if the prefix becomes another one. */
function checkMovedKeys(step: Step, prefix: string): void {
  for (const { folder, resources } of step.before.groupVersions)
    for (const { name } of resources.filter(({ storage }) => storage?.prefix === prefix)) {
      const later = groupVersionIn(step.after, folder);
      const resource = later?.resources.find((each) => each.name === name);
      if (later === undefined || resource === undefined) continue;
      step.report.violation('CP412', {
        element: `${groupOf(later)} ${name} storage`,
        at: resourcePlace(later, name, 'storage'),
        was: `stored below ${prefix}`,
        is: resource.storage === undefined ? 'not stored' : `stored below ${resource.storage.prefix}`,
        remedy: 'Keep the prefix of its keys: objects are stored below it.',
        stability: stabilityIn(step, later),
        release: step.release,
      });
      return;
    }
}

/** @param step as for `compareStorage` */
export function comparePreferred(step: Step, calendar: ReleaseCalendar): void {
  const released = releasedBefore(step, calendar);
  const now = preferredVersions(step.after);
  for (const [group, was] of preferredVersions(step.before)) {
    const is = now.get(group);
    if (is === undefined || is.version === was.version) continue;
    const served = (version: string) => (release: string) => isVersionServed(step.before, group, version, release);
    const moves = isOlder(is.version, was.version)
      ? 'back'
      : released.some((release) => served(was.version)(release) && served(is.version)(release))
        ? undefined
        : 'early';
    if (moves !== undefined)
      step.report.violation(moves === 'early' ? 'CP411' : 'CP413', {
        element: `${groupOf(is)} preferred version`,
        at: documentPlace(is, 'x-cluster-group-version'),
        was: `${was.version} preferred`,
        is: `${is.version} preferred`,
        stability: stabilityIn(step, was),
        release: step.release,
      });
  }
}

/** @returns the releases that are out when the step is made */
function releasedBefore({ before, after }: Step, calendar: ReleaseCalendar): string[] {
  const last = before.release === after.release ? calendar.before(before.release) : before.release;
  return last === undefined ? [] : before.releases.map(({ name }) => name).filter((name) => compareReleases(name, last) <= 0);
}

function storedBy(model: Model): Map<string, Stored> {
  return new Map(
    model.groupVersions.flatMap((groupVersion) =>
      groupVersion.resources.flatMap((resource) =>
        resource.storage === undefined ? [] : [[resource.storage.prefix, { groupVersion, resource, storage: resource.storage }] as const],
      ),
    ),
  );
}

/** @returns the folder of the group below `schemas/` */
function groupOf({ folder }: GroupVersion): string {
  return folder.split('/')[0] as string;
}

function kindOf(model: Model, { group, version, kind }: Storage): KindOfVersion | undefined {
  return kindsOf(model.all).find(
    (each) => each.groupVersion.group === group && each.groupVersion.version === version && each.kind.name === kind,
  );
}

function moveProblem(
  before: Model,
  released: readonly string[],
  was: KindOfVersion | undefined,
  is: KindOfVersion | undefined,
  [from, to]: readonly [string, string],
): 'early' | 'back' | undefined {
  if (isOlder(to, from)) return 'back';
  if (was === undefined || is === undefined) return 'early';
  const both = released.some((release) => [was, is].every(({ kind }) => isServed(kind, release) && isThereIn(before, release)));
  return both ? undefined : 'early';
}

function isThereIn(before: Model, release: string): boolean {
  return before.releases.some(({ name }) => name === release);
}

function isOlder(version: string, other: string): boolean {
  return compareVersions(version, other) > 0;
}

/** @returns for each group the version that discovery names first, of those that are on by default */
function preferredVersions({ groupVersions }: Model): Map<string, GroupVersion> {
  const served = groupVersions.filter(({ enabledByDefault, files, resources }) => enabledByDefault && !files && resources.length > 0);
  const inOrder = served.sort((a, b) => a.versionPriority - b.versionPriority || compareVersions(b.version, a.version));
  return new Map(inOrder.map((each) => [each.group, each]));
}

function isVersionServed({ all }: Model, group: string, version: string, release: string): boolean {
  return kindsOf(all).some(
    (each) => each.groupVersion.group === group && each.groupVersion.version === version && isServed(each.kind, release),
  );
}

/** Reports kinds that the later schemas lack while others of their family are served: objects that are stored in their form would be lost. */
export function compareReadable(step: Step): void {
  let families: KindFamilies | undefined;
  for (const each of kindsOf(step.before)) {
    const { groupVersion, kind } = each;
    if (sameKind(step.after, each) !== undefined || groupVersion.files || !isStoredForm(step.before, each)) continue;
    families ??= new KindFamilies(step.before.all);
    const others = families.othersOf(each).map((other) => sameKind(step.after, other));
    const left = others.find((other) => other !== undefined && isServed(other.kind, step.after.release));
    if (left === undefined) continue;
    step.report.violation('CP412', {
      element: kindName(groupVersion, kind.name),
      at: { file: groupVersion.source, path: '' },
      was: 'in the schemas, so that stored objects can be read',
      is: `not there, while ${kindName(left.groupVersion, left.kind.name)} is served`,
      stability: stabilityOf(groupVersion.version),
      release: step.release,
    });
  }
}

/** Whether objects may be stored in the form of this version: it is the hub of its kind, or is converted to it, and may have been stored before. */
function isStoredForm(model: Model, { groupVersion, kind }: KindOfVersion): boolean {
  if (kind.conversion !== undefined) return true;
  const isHub = (storage: Storage): boolean =>
    storage.group === groupVersion.group && storage.version === groupVersion.version && storage.kind === kind.name;
  return [...storedBy(model).values()].some(({ storage }) => isHub(storage));
}
