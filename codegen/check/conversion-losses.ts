/**
 * Finds what is lost between two versions of a kind: members and values that one version has and the other lacks, if no step moves, maps or keeps them and no
 * hand-written function converts them. A loss that is meant is stated with its reason.
 */
import type { ConversionStep } from '../../runtime/contract/kind.ts';
import type { ConversionNotes, GroupVersion, ModelData, StructModel, TypeUse } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { closedValues } from './closed-values.ts';
import { type Counterpart, Counterparts, isWithin, type Moves } from './counterparts.ts';
import { eachRelease } from './each-release.ts';
import { findKind } from './members.ts';
import { placeOf } from './places.ts';

/** One direction of a conversion. */
interface Way {
  readonly from: StructModel;
  readonly to: StructModel;
  readonly moves: Moves;
  /** Values that become other values, by the path of the member. */
  readonly mapped: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Paths of members that the target keeps in an annotation. */
  readonly kept: readonly string[];
}

type Tell = (code: 'CS100' | 'CS101', path: string, problem: string) => void;

/** The notes and losses that occurred in some release, to find those that never do. */
interface Seen {
  readonly notes: Set<ConversionNotes>;
  /** The losses that notes state, and that occurred. */
  readonly losses: Set<ConversionNotes['loses'][number]>;
}

export function checkConversionLosses(context: CheckContext): void {
  const seen: Seen = { notes: new Set(), losses: new Set() };
  eachRelease(context, ({ model, report }) => {
    const counterparts = new Counterparts(model);
    for (const { at, kind, hub, steps, notes, files } of conversions(model)) {
      seen.notes.add(notes);
      const tell: Tell = (code, path, problem) => {
        const meant = notes.loses.filter((loss) => isWithin(path, loss.path));
        for (const loss of meant) seen.losses.add(loss);
        if (meant.length === 0 && !notes.converts.some((each) => isWithin(path, each))) report(code, at, problem);
      };
      const [towards, back] = ways(kind, hub, steps);
      checkWay(model, counterparts, towards, tell);
      // Objects from files are converted only to the newest version.
      if (!files) checkWay(model, counterparts, back, tell);
    }
  });
  checkNotes(context, seen);
}

/** Reports losses that occur in no release, and members that neither version has in any release. */
function checkNotes({ model: { all }, report }: CheckContext, seen: Seen): void {
  const counterparts = new Counterparts(all);
  for (const { at, kind, hub, notes } of conversions(all)) {
    const unfound = seen.notes.has(notes) ? notes.loses.filter((loss) => !seen.losses.has(loss)) : [];
    for (const loss of unfound) report('CS102', at, `Nothing of ${loss.path} is lost.`);
    for (const path of notes.converts)
      if (counterparts.at(kind, path) === undefined && counterparts.at(hub, path) === undefined)
        report('CS045', at, `Neither version of ${kind.name} has ${path}.`);
  }
}

interface Conversion {
  readonly at: { readonly file: string; readonly path: string };
  readonly kind: StructModel;
  readonly hub: StructModel;
  readonly steps: readonly ConversionStep[];
  readonly notes: ConversionNotes;
  readonly files: boolean;
}

function conversions(model: ModelData): Conversion[] {
  // Members that the other version of a structural kind lacks are lost without a report, as for custom resources.
  const others = model.groupVersions.filter(({ structural }) => structural === undefined);
  return others.flatMap((groupVersion) =>
    groupVersion.types.flatMap((kind): Conversion[] => {
      if (kind.kind !== 'struct' || kind.conversion === undefined) return [];
      const { conversion, conversionNotes: notes = { converts: [], loses: [] } } = kind;
      const hub = findKind(model, conversion.group, conversion.version, conversion.kind);
      const at = conversionPlace(groupVersion, kind);
      return hub === undefined ? [] : [{ at, kind, hub, steps: conversion.steps, notes, files: groupVersion.files }];
    }),
  );
}

function conversionPlace(groupVersion: GroupVersion, kind: StructModel): { file: string; path: string } {
  const { file, path } = placeOf(groupVersion, kind);
  return { file, path: `${path}.x-cluster-conversion` };
}

/** @returns the ways to the hub and back; on the way back the steps run in the reverse order */
function ways(kind: StructModel, hub: StructModel, steps: readonly ConversionStep[]): [towards: Way, back: Way] {
  const renames = steps.filter((step) => step.op === 'rename');
  const maps = steps.filter((step) => step.op === 'mapValues');
  const kept = steps.filter((step) => step.op === 'keepInAnnotation').map(({ path }) => path);
  const swapped = (values: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(values).map(([a, b]) => [b, a]));
  return [
    {
      from: kind,
      to: hub,
      moves: renames.map(({ from, to }) => [from, to] as const),
      mapped: new Map(maps.map(({ path, values }) => [path, values])),
      kept: [],
    },
    {
      from: hub,
      to: kind,
      moves: renames.toReversed().map(({ from, to }) => [to, from] as const),
      mapped: new Map(maps.map(({ path, values }) => [path, swapped(values)])),
      kept,
    },
  ];
}

function checkWay(model: ModelData, counterparts: Counterparts, { from, to, moves, mapped, kept }: Way, tell: Tell): void {
  const [here, there] = [from, to].map((kind) => `${kind.name} of ${kind.folder}`);
  for (const each of counterparts.of(from, to, moves)) {
    if (kept.some((path) => isWithin(each.path, path))) continue;
    const loss = lossOf(model, each);
    if (loss !== undefined) tell('CS100', each.path, `${there} ${loss} ${each.path} of ${here}.`);
    const values = unknownValues(each, mapped.get(each.path) ?? {});
    if (values.length > 0) tell('CS101', each.path, `${each.path} of ${there} is never ${values.join(', ')}, as in ${here}.`);
  }
}

function lossOf(model: ModelData, { field, other }: Counterpart): string | undefined {
  if (other === undefined) return 'lacks';
  if (!holds(formOf(model, other.type), formOf(model, field.type))) return 'has another type for';
  const isStruct = formOf(model, field.type).endsWith('struct');
  return field.pointer && !other.pointer && !isStruct ? 'does not tell zero from absent in' : undefined;
}

/** @returns the form of a type as text, such as `int32` or `list of struct` */
function formOf(model: ModelData, use: TypeUse): string {
  if (use.kind === 'list') return `list of ${formOf(model, use.element)}`;
  if (use.kind === 'map') return `map of ${formOf(model, use.value)}`;
  if (use.kind === 'primitive') return use.scalar;
  const type = model.types.get(use.definition);
  return type?.kind === 'scalar' ? type.scalar : 'struct';
}

function holds(form: string, other: string): boolean {
  return form === other || (form === 'int64' && other === 'int32') || (form === 'double' && /^int/.test(other));
}

/** @returns values that one member may have and the other never has; [] unless both are of a closed set */
function unknownValues({ field, other }: Counterpart, mapped: Readonly<Record<string, string>>): string[] {
  const known = other === undefined ? undefined : closedValues(other.type);
  return known === undefined ? [] : (closedValues(field.type) ?? []).filter((value) => !known.includes(mapped[value] ?? value));
}
