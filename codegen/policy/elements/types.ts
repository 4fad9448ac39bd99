/**
 * Compares the types of all kinds that both states have, at any depth, except those of structural schemas. Each pair of structs is compared once, with the
 * stability of the most stable kind that leads to it.
 */
import { placeOf } from '../../check/places.ts';
import { statedEntries } from '../../model/constraints/stated-entries.ts';
import type { Model, NamedType, StructModel, TypeUse } from '../../model/model.ts';
import { namedIn } from '../../model/uses.ts';
import type { Place } from '../finding.ts';
import { stabilities } from '../stability.ts';
import { compareFields, type FieldPair, type StructPair, type TellField } from './fields.ts';
import { isEnforced, isOnByDefault, stabilityBehind } from './gates.ts';
import { isServed, type KindOfVersion, kindName, kindsOf, sameKind } from './kinds.ts';
import { type Step, stabilityIn } from './step.ts';

export function compareTypes(step: Step): void {
  const compared = new Set<string>();
  const pairs = kindsOf(step.before).flatMap((kind) => {
    const after = sameKind(step.after, kind);
    if (kind.groupVersion.structural !== undefined && after?.groupVersion.structural !== undefined) return [];
    return after !== undefined && staysReadable(step, kind, after) ? [pairOf(step, kind, after)] : [];
  });
  for (const stability of stabilities.toReversed()) {
    const waiting = pairs.filter((pair) => pair.stability === stability);
    for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
      const key = `${pair.before.definition} ${pair.after.definition}`;
      if (compared.has(key)) continue;
      if (pair.stability !== stability) {
        // The pair belongs to a less stable level, and waits for its turn.
        pairs.push(pair);
        continue;
      }
      compared.add(key);
      waiting.push(...comparePair(step, pair));
    }
  }
}

/** Objects of a kind that is no longer served are still read as long as it is converted. */
function staysReadable({ before, after }: Step, { kind }: KindOfVersion, later: KindOfVersion): boolean {
  const served = isServed(kind, before.release) && isServed(later.kind, after.release);
  return served || (kind.conversion !== undefined && later.kind.conversion !== undefined);
}

function pairOf(step: Step, { groupVersion, kind }: KindOfVersion, after: KindOfVersion): StructPair {
  return { before: kind, after: after.kind, stability: stabilityIn(step, groupVersion) };
}

/** @returns the structs to which the fields of this one lead */
function comparePair(step: Step, pair: StructPair): StructPair[] {
  const at = (field?: string): Place => placeIn(step.after, pair.after, field);
  const tell: TellField = (code, { field, part, was, is, stability = pair.stability }) =>
    step.report.violation(code, {
      element: [elementOf(pair, field), ...(part === undefined ? [] : [part])].join(' '),
      at: at(field),
      was,
      is,
      stability,
      release: step.release,
    });
  // A struct that is the same in both states may lead to others that are not.
  const kept = isSame(step, pair) ? sameFields(step, pair) : compareFields(step, pair, tell);
  return kept.flatMap(({ before, after, stability }): StructPair[] => {
    const [old, now] = [typeIn(step.before, before.type), typeIn(step.after, after.type)];
    if (old?.kind === 'struct' && now?.kind === 'struct') return [{ before: old, after: now, stability }];
    return [];
  });
}

/** Whether the fields and constraints of a struct are the same. A gate whose default changes makes a difference of what the schemas state unchanged. */
function isSame(step: Step, { before, after }: StructPair): boolean {
  return before === after && after.fields.every((field) => !turnsOff(step, field.featureGate)) && !turnsConstraints(step, after);
}

/** Whether a gate in front of a constraint has another default, so that the constraint begins or ceases to hold. */
function turnsConstraints({ before, after }: Step, { fields, validations = [] }: StructModel): boolean {
  const entries = [...fields.flatMap(statedEntries), ...validations];
  const gates = entries.flatMap((entry) => (typeof entry === 'string' || entry.gate === undefined ? [] : [entry.gate]));
  return gates.some((gate) => isEnforced(before, gate) !== isEnforced(after, gate));
}

function turnsOff({ before, after }: Step, gate: string | undefined): boolean {
  return gate !== undefined && isOnByDefault(before, gate) && !isOnByDefault(after, gate);
}

function sameFields({ before: model }: Step, { before: { fields }, stability }: StructPair): FieldPair[] {
  return fields.map((field) => ({ before: field, after: field, stability: stabilityBehind(model, field.featureGate, stability) }));
}

function elementOf({ before }: StructPair, field: string | undefined): string {
  return kindName(before, field === undefined ? before.name : `${before.name}.${field}`);
}

/** @returns the place of the field; that of its struct if the later state does not have the field */
function placeIn(model: Model, struct: StructModel, field: string | undefined): Place {
  const groupVersion = model.groupVersions.find(({ folder }) => folder === struct.folder);
  if (groupVersion === undefined) return { file: `schemas/${struct.folder}/openapi.yaml`, path: '' };
  const own = field !== undefined && struct.fields.some(({ name }) => name === field);
  return placeOf(groupVersion, struct, own ? field : undefined);
}

function typeIn(model: Model, use: TypeUse): NamedType | undefined {
  return model.types.get(namedIn(use) ?? '');
}
