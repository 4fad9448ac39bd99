/**
 * Checks rule 2: an object that goes to another version and back is what it was. Objects are made at random, of the same seeds in each run, and sent through
 * all
 * versions of their kind.
 */
import type { Type } from '../../../runtime/contract/descriptor.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { placeOf } from '../../check/places.ts';
import type { Model } from '../../model/model.ts';
import { isServed, type KindOfVersion, kindName, kindsOf } from '../elements/kinds.ts';
import type { PolicyReport } from '../finding.ts';
import { stabilityOf } from '../stability.ts';
import { conversionLoss, settled } from './conversion-loss.ts';
import type { ConvertedKinds } from './converted-kinds.ts';
import { missingFields } from './missing-fields.ts';
import { flatFields, randomObject } from './random-objects.ts';

/** Number of objects that are tried for each kind in each version. */
const OBJECTS = 40;
/** About how many values the largest of these objects have. */
const LARGEST = 60;

/** @param model the model whose generated kinds these are */
export function proveConversions(model: Model, kinds: ConvertedKinds, report: PolicyReport): void {
  const stated = new Map(kindsOf(model.all).map((each) => [kindName(each.groupVersion, each.kind.name), each]));
  const known = [...kinds].flatMap(([name, kind]): Proven[] => {
    const each = stated.get(name);
    return each === undefined ? [] : [{ name, kind, each, isServed: isServed(each.kind, model.release) }];
  });
  for (const family of Map.groupBy(known, ({ kind }) => kind.hub).values())
    if (family.length > 1) proveFamily(family, model.release, report);
}

interface Proven {
  /** Name of the kind in its version, such as `batch/v1beta1 CronJob`. */
  readonly name: string;
  readonly kind: Kind;
  readonly each: KindOfVersion;
  readonly isServed: boolean;
}

function proveFamily(family: readonly Proven[], release: string, report: PolicyReport): void {
  const versions = family.map(({ kind }) => kind);
  const servedVersions = family.filter((each) => each.isServed).map(({ kind }) => kind);
  const settles = versions.some(({ data }) => data.conversion?.function !== undefined);
  for (const { name, kind, each, isServed: served } of family) {
    const tell = (code: 'CP201' | 'CP202' | 'CP203', path: string, was: string, is: string): void => {
      const { file, path: place } = placeOf(each.groupVersion, each.kind);
      const element = path === '' ? name : `${name} ${path}`;
      report.violation(code, { element, at: { file, path: place }, was, is, stability: stabilityOf(each.groupVersion.version), release });
    };
    const others = family.filter((other) => other.kind !== kind);
    const missing = others.flatMap((other) => missingFields(kind, other.kind).map((field) => ({ ...field, other })));
    // Nobody can use a version that is gone, so what that cannot say does not matter.
    for (const { path, zeroAlone, other } of missing.filter((field) => served && field.other.isServed))
      tell(
        'CP201',
        path,
        `a field of ${kind.apiVersion}`,
        zeroAlone ? `zero and absent are one in ${other.kind.apiVersion}` : `not in ${other.kind.apiVersion}`,
      );
    const paths = new Set(missing.map(({ path }) => path));
    const loss = firstLoss(kind, versions, settles, (path) => paths.has(path));
    if (loss !== undefined) tell('CP202', '', 'the same after the way there and back', loss);
    if (settles && served)
      for (const path of lostForGood(kind, servedVersions))
        tell('CP201', path, `a field of ${kind.apiVersion}`, 'gone after the way there and back');
    const hub = family.find((other) => other.kind === kind.hub);
    for (const { path, reason } of each.kind.conversionNotes?.loses ?? [])
      if (served && hub?.isServed === true)
        tell('CP203', path, `a field of ${kind.apiVersion} or of ${kind.hub.apiVersion}`, `lost: ${reason}`);
  }
}

/**
 * Tries objects of growing size.
 * @returns how the first one differs that comes back as another; undefined if all come back as they were
 */
function firstLoss(kind: Kind, versions: readonly Kind[], settles: boolean, leavesOut: (path: string) => boolean): string | undefined {
  for (let seed = 0; seed < OBJECTS; seed++) {
    const size = Math.ceil(((seed + 1) / OBJECTS) * LARGEST);
    try {
      const object = kind.normalized(randomObject(kind.data.type, { seed, size, leavesOut }));
      const loss = conversionLoss(kind, settles ? settled(kind, object, versions) : object, versions);
      if (loss !== undefined) return loss.length > 300 ? `${loss.slice(0, 297)}...` : loss;
    } catch (error) {
      return `no object: ${(error as Error).message}`;
    }
  }
  return undefined;
}

/** Number of objects that are tried to see whether a field ever comes back. */
const MANY = 150;
/** A field counts as lost only if it was set in at least so many of these objects. */
const ENOUGH = 3;

/**
 * Finds fields that a hand-written conversion never brings back. What it changes at first may be right: it brings objects into the form that the other version
 * can tell. But a field that never comes back has no equivalent there.
 */
function lostForGood(kind: Kind, versions: readonly Kind[]): string[] {
  const set = new Map<string, number>();
  const kept = new Set<string>();
  for (let seed = 0; seed < MANY; seed++) {
    try {
      const object = kind.normalized(randomObject(kind.data.type, { seed, size: LARGEST }));
      const paths = pathsIn(kind.data.type, object);
      for (const path of pathsIn(kind.data.type, settled(kind, object, versions))) kept.add(path);
      for (const path of paths) set.set(path, (set.get(path) ?? 0) + 1);
    } catch {
      // `firstLoss` reports objects that cannot be converted.
    }
  }
  const lost = [...set].filter(([path, count]) => count >= ENOUGH && !kept.has(path)).map(([path]) => path);
  return lost.filter((path) => !lost.some((other) => path.startsWith(`${other}.`)));
}

/** @returns dotted paths of the fields that have a value; they do not mention lists and maps */
function pathsIn(type: Type, value: unknown, prefix = '', found: Set<string> = new Set()): Set<string> {
  if (!hasValue(value)) return found;
  if (type.kind === 'list') for (const element of value as unknown[]) pathsIn(type.element, element, prefix, found);
  if (type.kind === 'map') for (const member of Object.values(value as object)) pathsIn(type.value, member, prefix, found);
  if (type.kind === 'struct')
    for (const field of flatFields(type)) {
      const member = (value as Record<string, unknown>)[field.name];
      const path = prefix === '' ? field.name : `${prefix}.${field.name}`;
      if (hasValue(member)) found.add(path);
      pathsIn(field.type, member, path, found);
    }
  return found;
}

function hasValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
