/** Compares the fields of a struct: finds those that are gone, and those that are no longer what they were. */
import { memberAtPath, membersOf, structOf } from '../../check/members.ts';
import type { Entry } from '../../model/constraints/entries.ts';
import { isUnchecked, statedEntries } from '../../model/constraints/stated-entries.ts';
import type { FieldModel, Model, ModelData, Ownership, StructModel, TypeUse } from '../../model/model.ts';
import { namedIn } from '../../model/uses.ts';
import { shown } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import type { Stability } from '../stability.ts';
import { compareEntries, hasDefault, holdsForNewAlone, isEqual, type NewMembers, refusesAbsent } from './constraints.ts';
import { compareMeaning, compareStructRules } from './defaults.ts';
import { enforced, isOnByDefault, stabilityBehind } from './gates.ts';
import { compareGone, compareNumber } from './numbers.ts';
import type { Step } from './step.ts';
import { formOf } from './type-form.ts';
import { compareValues } from './values.ts';

/** One struct in both states. */
export interface StructPair {
  readonly before: StructModel;
  readonly after: StructModel;
  /** Stability of the most stable kind that has the struct. */
  readonly stability: Stability;
}

/** @param what the difference; without `field` it is that of the struct itself, and `part` says which part differs, such as `value Red` */
export type TellField = (
  code: PolicyCode,
  what: { readonly field?: string; readonly part?: string; readonly was: string; readonly is: string; readonly stability?: Stability },
) => void;

/** One field in both states. */
export interface FieldPair {
  readonly before: FieldModel;
  readonly after: FieldModel;
  readonly stability: Stability;
}

/**
 * Compares inline structs as structs of their own. A field counts as gone only if it does not stand in one of them either.
 * @returns the fields that both states have, with types of the same form
 */
export function compareFields(step: Step, pair: StructPair, tell: TellField): FieldPair[] {
  const [old, now] = [flatFields(step.before, pair.before), flatFields(step.after, pair.after)];
  const members: NewMembers = {
    isNew: (path) => isMissing(step.before, pair.before, path),
    fieldAt: (path) => memberAtPath(step.after, pair.after, path.replaceAll(/\[\*?\]/g, ''))?.field,
  };
  const kept: FieldPair[] = [];
  for (const before of pair.before.fields) {
    if (before.typeMeta) continue;
    const stability = stabilityBehind(step.before, before.featureGate, pair.stability);
    const after = before.inline ? inlineOf(pair.after, before) : now.get(before.name);
    const tellOfField: TellField = (code, what) => tell(code, { field: before.name, stability, ...what });
    const number = after === undefined ? compareGone(before, pair.before, inAnyRelease(step, pair.after)) : compareNumber(before, after);
    if (number !== undefined) tellOfField(number.code, number);
    if (after === undefined) tellGone(step, before, now, tellOfField);
    else if (before.inline || compareField(step, before, after, members, tellOfField)) kept.push({ before, after, stability });
  }
  for (const field of pair.after.fields)
    if (!field.inline && !old.has(field.name))
      checkNew(step, field, members, (is) => tell('CP118', { field: field.name, was: 'not there', is }));
  compareStruct(step, pair, members, tell);
  return kept;
}

/** @returns the struct with its fields of every release: a number is still taken if another release has the field */
function inAnyRelease({ after: { all } }: Step, struct: StructModel): StructModel {
  const type = all.types.get(struct.definition);
  return type?.kind === 'struct' ? type : struct;
}

function flatFields(model: ModelData, struct: StructModel): Map<string, FieldModel> {
  return new Map(membersOf(model, struct).map(({ field }) => [field.name, field]));
}

function inlineOf({ fields }: StructModel, { number, type }: FieldModel): FieldModel | undefined {
  const inline = fields.filter((field) => field.inline);
  return inline.find((field) => (number === undefined ? isEqual(field.type, type) : field.number === number));
}

function tellGone(step: Step, before: FieldModel, now: ReadonlyMap<string, FieldModel>, tell: TellField): void {
  if (!before.inline) return tell('CP110', { was: formOf(step.before, before.type).text, is: 'not there' });
  const struct = structOf(step.before, before.type);
  for (const { field } of struct === undefined ? [] : membersOf(step.before, struct))
    if (!now.has(field.name)) tell('CP110', { field: field.name, was: formOf(step.before, field.type).text, is: 'not there' });
}

/** @returns whether the types of the field have the same form in both states */
function compareField(step: Step, before: FieldModel, after: FieldModel, members: NewMembers, tell: TellField): boolean {
  const [old, now] = [formOf(step.before, before.type), formOf(step.after, after.type)];
  if (old.form !== now.form) {
    tell('CP111', { was: old.text, is: now.text });
    return false;
  }
  compareRequired(before, after, tell);
  const { gone, closes } = compareValues(before.type, after.type);
  for (const value of gone) tell('CP115', { part: `value ${shown(value)}`, was: 'one of the values', is: 'none of them' });
  if (closes) tell('CP116', { was: 'takes other values', is: 'takes no other values' });
  for (const { was, is, path } of compareMeaning(before, after, members.isNew, isMarkedRequired(before)))
    tell('CP117', { was, is, ...(path !== undefined && path !== after.name && { part: path }) });
  const constraintsOf = (model: Model, field: FieldModel): Entry[] => enforced(model, statedEntries(field)).filter(isNoPresence);
  for (const { was, is } of compareEntries(constraintsOf(step.before, before), constraintsOf(step.after, after), members))
    tell('CP119', { was, is });
  if (isUnchecked(before) && !isUnchecked(after))
    tell('CP119', { was: 'what its type asks for does not hold here', is: 'what its type asks for holds' });
  compareOwnership(before, after, tell);
  if (isOnByDefault(step.before, before.featureGate) && !isOnByDefault(step.after, after.featureGate))
    tell('CP122', { was: 'there', is: `there while ${after.featureGate} is on, which it is not by default` });
  return true;
}

/** Whether a value must be there at all is compared by itself (`compareRequired`). */
function isNoPresence(entry: unknown): boolean {
  return !isPresence(entry);
}

function isPresence(entry: unknown): boolean {
  const { required, when, gate } = (typeof entry === 'object' ? entry : {}) as { required?: boolean; when?: unknown; gate?: unknown };
  return required === true && when === undefined && gate === undefined;
}

function isRequired(field: FieldModel): boolean {
  return field.required || isMarkedRequired(field);
}

/** Whether the server refuses objects without the field. OpenAPI may call it required and the server still let it be absent, as in Kubernetes. */
function isMarkedRequired(field: FieldModel): boolean {
  return statedEntries(field).some(isPresence);
}

function compareRequired(before: FieldModel, after: FieldModel, tell: TellField): void {
  if (!isRequired(before) && isRequired(after)) tell('CP118', { was: 'may be absent', is: 'required' });
}

/** Objects that were written without the new field must stay valid. */
function checkNew({ after }: Step, field: FieldModel, { isNew }: NewMembers, tell: (is: string) => void): void {
  if (hasDefault(field)) return;
  if (isRequired(field)) return tell('required, without a default');
  for (const entry of enforced(after, statedEntries(field))) {
    if (typeof entry === 'string' || !refusesAbsent(entry, field)) continue;
    if (entry.when === undefined || !holdsForNewAlone(entry.when, isNew)) tell(`absent is refused, by ${shown(entry)}`);
  }
}

function compareOwnership(before: FieldModel, after: FieldModel, tell: TellField): void {
  for (const [part, was, is] of ownershipDifferences(before.type, after.type)) tell('CP120', { part, was, is });
  if (!isEqual(before.patchStrategies ?? [], after.patchStrategies ?? []))
    tell('CP121', { part: 'patch strategy', was: shown(before.patchStrategies), is: shown(after.patchStrategies) });
  if (before.patchMergeKey !== after.patchMergeKey)
    tell('CP121', { part: 'merge key', was: shown(before.patchMergeKey), is: shown(after.patchMergeKey) });
}

function ownershipDifferences(before: TypeUse, after: TypeUse): [part: string, was: string, is: string][] {
  const [old, now]: Ownership[] = [ownershipOf(before), ownershipOf(after)];
  const parts = (['listType', 'listMapKeys', 'mapType'] as const).flatMap((part): [string, string, string][] =>
    isEqual(old?.[part], now?.[part]) ? [] : [[part, shown(old?.[part]), shown(now?.[part])]],
  );
  if (before.kind === 'list' && after.kind === 'list') return [...parts, ...ownershipDifferences(before.element, after.element)];
  return before.kind === 'map' && after.kind === 'map' ? [...parts, ...ownershipDifferences(before.value, after.value)] : parts;
}

/** If nothing is stated, a list is replaced as a whole, and each member of a map or struct has owners of its own. */
function ownershipOf(use: TypeUse): Ownership {
  const { listType, listMapKeys, mapType } = use.ownership ?? {};
  return {
    ...(use.kind === 'list' && { listType: listType ?? 'atomic' }),
    ...(listMapKeys !== undefined && { listMapKeys }),
    ...(use.kind !== 'list' && { mapType: mapType ?? 'granular' }),
  };
}

function compareStruct(step: Step, { before, after }: StructPair, members: NewMembers, tell: TellField): void {
  const [old, now] = [before.mapType ?? 'granular', after.mapType ?? 'granular'];
  if (old !== now) tell('CP120', { part: 'mapType', was: old, is: now });
  if (before.topLevel && before.protobuf && !after.protobuf) tell('CP112', { was: 'in protobuf', is: 'not in protobuf' });
  for (const { path, was, is } of compareStructRules(before, after, members.isNew))
    tell('CP117', { ...(path !== undefined && { part: path }), was, is });
  for (const { was, is } of compareEntries(
    enforced(step.before, before.validations ?? []),
    enforced(step.after, after.validations ?? []),
    members,
  ))
    tell('CP119', { was, is });
}

/** Whether a dotted path leads to a member that the model lacks, at its first part or further down through structs. */
function isMissing(model: ModelData, struct: StructModel, path: string): boolean {
  let at: StructModel | undefined = struct;
  for (const name of path.split('.')) {
    if (at === undefined) return false;
    const member = membersOf(model, at).find(({ field }) => field.name === name.replaceAll(/\[\*?\]/g, ''));
    if (member === undefined) return true;
    const definition = namedIn(member.field.type);
    const type = definition === undefined ? undefined : model.types.get(definition);
    at = type?.kind === 'struct' ? type : undefined;
  }
  return false;
}
