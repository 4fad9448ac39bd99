/** Checks the releases that schemas state: they are known, in order, within the life of the element that contains them, and do not contradict each other. */
import { lifespanOf } from '../model/at-release.ts';
import { compareReleases, type Lifespan, lifespansIn } from '../model/lifespan.ts';
import type { FieldModel, GroupVersion, ModelData, NamedType, StructModel, TypeUse } from '../model/model.ts';
import { namedIn } from '../model/uses.ts';
import type { CheckContext } from './check-context.ts';
import type { Report } from './diagnostic.ts';
import { placeOf, resourcePlace } from './places.ts';

interface Stated {
  readonly at: { readonly file: string; readonly path: string };
  /** The element that has the lifespan, for people. */
  readonly name: string;
  readonly lifespan: Lifespan;
}

export function checkLifespans({ model: { all }, report }: CheckContext): void {
  const known = new Set(all.releases.map(({ name }) => name));
  for (const { at, name, lifespan } of statedLifespans(all)) {
    const { since, until } = lifespan;
    for (const release of [since, until])
      if (release !== undefined && known.size > 0 && !known.has(release)) report('CS050', at, `There is no release ${release}.`);
    if (since !== undefined && until !== undefined && compareReleases(until, since) <= 0)
      report('CS080', at, `${name} is there since ${since}, but until ${until}.`);
  }
  for (const groupVersion of all.groupVersions)
    for (const type of groupVersion.types) if (type.kind === 'struct') checkStruct(groupVersion, type, report);
}

/** @returns one release of each time in which the API stays the same, apart from what lifecycles change */
export function turningPoints(all: ModelData): string[] {
  const stated = new Set(statedLifespans(all).flatMap(({ lifespan: { since, until } }) => [since, until]));
  const names = all.releases.map(({ name }) => name);
  return names.filter((name, index) => stated.has(name) || index + 1 === names.findIndex((each) => stated.has(each)));
}

/** Checks in one release that a type with a lifespan exists as long as something refers to it. */
export function checkReferences({ model, report }: CheckContext): void {
  const known = new Set(model.releases.map(({ name }) => name));
  const isKnown = (release: string | undefined): boolean => release === undefined || known.has(release);
  for (const groupVersion of model.groupVersions)
    for (const type of groupVersion.types)
      for (const field of type.kind === 'struct' ? type.fields : []) {
        const definition = namedIn(field.type);
        const stated = definition === undefined ? undefined : model.all.types.get(definition);
        if (stated === undefined || model.types.has(stated.definition)) continue;
        const { since, until } = lifespanOf(stated);
        if (isKnown(since) && isKnown(until))
          report('CS081', placeOf(groupVersion, type, field.name), `${stated.definition} is not there.`);
      }
}

function statedLifespans(all: ModelData): Stated[] {
  return all.groupVersions.flatMap((groupVersion) => [
    ...ofGroupVersion(groupVersion),
    ...groupVersion.types.flatMap((type) => ofType(groupVersion, type)),
    ...groupVersion.resources.flatMap((resource) => {
      const at = resourcePlace(groupVersion, resource.name);
      return lifespansIn(resource).map((lifespan) => ({ at, name: resource.name, lifespan }));
    }),
  ]);
}

function ofGroupVersion(groupVersion: GroupVersion): Stated[] {
  const at = { file: groupVersion.source, path: 'x-cluster-group-version' };
  return [groupVersion, ...(groupVersion.before ?? [])].map((lifespan) => ({ at, name: groupVersion.folder, lifespan }));
}

function ofType(groupVersion: GroupVersion, type: NamedType): Stated[] {
  const at = placeOf(groupVersion, type);
  if (type.kind === 'scalar') return [{ at, name: type.name, lifespan: type }];
  const own = [type, ...lifespansIn(type.table), ...lifespansIn(type.validations), ...type.defaults].map((lifespan) => ({
    at,
    name: type.name,
    lifespan,
  }));
  return [...own, ...type.fields.flatMap((field) => ofField(groupVersion, type, field))];
}

function ofField(groupVersion: GroupVersion, struct: StructModel, field: FieldModel): Stated[] {
  const at = placeOf(groupVersion, struct, field.name);
  const name = `${struct.name}.${field.name}`;
  const ended = (field.before ?? []).map(({ until }) => ({ until, ...(field.since !== undefined && { since: field.since }) }));
  const inForms = [field, ...(field.before ?? []).map((form) => form.field)].flatMap(({ type, constraints, dependentDefaults = [] }) => [
    ...lifespansOfValues(type),
    ...lifespansIn(constraints),
    ...dependentDefaults,
  ]);
  return [field, ...ended, ...inForms].map((lifespan) => ({ at, name, lifespan }));
}

function lifespansOfValues(use: TypeUse): Lifespan[] {
  if (use.kind === 'list') return lifespansOfValues(use.element);
  if (use.kind === 'map') return lifespansOfValues(use.value);
  return use.kind === 'primitive' ? Object.values(use.lifespans ?? {}) : [];
}

function checkStruct(groupVersion: GroupVersion, struct: StructModel, report: Report): void {
  if (struct.topLevel) checkKind(groupVersion, struct, report);
  for (const field of struct.fields) {
    const at = placeOf(groupVersion, struct, field.name);
    for (const problem of [...formProblems(field), ...valueProblems(field.type)]) report('CS080', at, problem);
    if (struct.protobuf && field.until !== undefined) checkNumber(struct, field, (problem) => report('CS082', at, problem));
  }
}

/** Earlier forms must follow each other, and end before the field does. */
function formProblems({ before = [], until }: FieldModel): string[] {
  const ends = [...before.map((form) => form.until), ...(until === undefined ? [] : [until])];
  return ends.flatMap((end, index) => {
    const earlier = ends[index - 1];
    return earlier !== undefined && compareReleases(end, earlier) <= 0
      ? [`What ends with ${end} stands behind what ends with ${earlier}.`]
      : [];
  });
}

function valueProblems(use: TypeUse): string[] {
  if (use.kind === 'list') return valueProblems(use.element);
  if (use.kind === 'map') return valueProblems(use.value);
  if (use.kind !== 'primitive' || use.lifespans === undefined) return [];
  const values = [...(use.enum ?? []), ...(use.constants ?? [])];
  return Object.keys(use.lifespans)
    .filter((value) => !values.includes(value))
    .map((value) => `${value} is none of the values.`);
}

/** The number of a field that is gone must be reserved, or be that of the field that took its place. */
function checkNumber({ fields, reserved }: StructModel, field: FieldModel, tell: (problem: string) => void): void {
  const { number, until = '' } = field;
  if (number === undefined) return tell('A field that is gone states its number.');
  const successor = fields.find((other) => other !== field && other.number === number);
  if (successor !== undefined && (successor.since === undefined || compareReleases(successor.since, until) < 0))
    tell(`Number ${number} is that of ${successor.name} at the same time.`);
  const isReserved = reserved.some((item) => typeof item !== 'string' && item[0] <= number && number <= item[1]);
  if (successor === undefined && !isReserved) tell(`The message does not reserve number ${number}.`);
}

/** A kind must be served only while its type is there, and its list kind as long as the kind itself. */
function checkKind(groupVersion: GroupVersion, kind: StructModel, report: Report): void {
  const { lifecycle } = kind;
  if (lifecycle === undefined) return;
  const at = placeOf(groupVersion, kind);
  const { introduced, removed } = lifecycle;
  const { since = introduced } = lifespanOf(kind);
  const until = kind.until ?? groupVersion.until;
  if (compareReleases(introduced, since) < 0) report('CS083', at, `It is introduced in ${introduced}, but there since ${since}.`);
  if (until !== undefined && (removed === undefined || compareReleases(until, removed) < 0))
    report(
      'CS083',
      at,
      removed === undefined ? `It is gone in ${until}, but never removed.` : `It is removed in ${removed}, but gone in ${until}.`,
    );
  const list = groupVersion.types.find(({ name }) => name === kind.list);
  if (list?.kind !== 'struct' || list.lifecycle === undefined) return;
  const { introduced: begin, removed: end } = list.lifecycle;
  const endsBefore = end !== undefined && (removed === undefined || compareReleases(end, removed) < 0);
  if (compareReleases(begin, introduced) > 0 || endsBefore)
    report('CS083', placeOf(groupVersion, list), `It is not served as long as ${kind.name}.`);
}
