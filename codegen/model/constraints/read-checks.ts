/** Reads entries that test a single value as check steps. */
import type { CheckStep, FindingName, Limit, Test } from '../../../runtime/contract/constraint.ts';
import { parseDuration } from '../../../runtime/schema/scalar/duration.ts';
import { structOf, typeAtPath } from '../../check/members.ts';
import type { Model, TypeUse } from '../model.ts';
import type { ConstraintEntry } from './entries.ts';
import { UPDATE_TESTS } from './entry-predicates.ts';
import { type Subject, shapeAt, type Tell } from './subject.ts';

/** Reads the tests of entries, such as a range or a format. */
export class TestReader {
  readonly #model: Model;
  readonly #tell: Tell;
  #uniques = 0;

  /** @param tell takes what does not fit the model, with its place inside of the document */
  constructor(model: Model, tell: Tell) {
    this.#model = model;
    this.#tell = tell;
  }

  /** @returns undefined if the entry names no test */
  test(entry: ConstraintEntry, subject: Subject): Test | undefined {
    if (entry.required === true) return { name: 'required' };
    if (entry.forbidden === true) return { name: 'forbidden' };
    if (entry.enum !== undefined) return { name: 'enum', values: entry.enum === true ? knownValues(subject.use) : entry.enum };
    if (entry.range !== undefined) return { name: 'range', lowest: entry.range[0], highest: entry.range[1] };
    if (entry.span !== undefined) return this.#span(entry.span, subject);
    if (entry.pattern !== undefined) return { name: 'pattern', pattern: entry.pattern };
    if (entry.format !== undefined) return { name: 'format', formats: [entry.format].flat() };
    if (entry.unique !== undefined) return this.#unique(entry, entry.unique, subject);
    for (const name of ['minimum', 'maximum', 'above', 'below'] as const) {
      const limit = entry[name];
      if (limit !== undefined) return { name, limit: this.#limit(limit, subject) };
    }
    for (const name of ['minLength', 'maxLength', 'maxBytes', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const) {
      const limit = entry[name];
      if (limit !== undefined) return { name, limit };
    }
    for (const name of ['equals', 'neq'] as const) {
      const value = entry[name];
      if (value !== undefined) return { name, value };
    }
    if (entry.holds !== undefined) return this.#holds(entry, entry.holds, subject);
    const name = UPDATE_TESTS.find((each) => entry[each] === true);
    return name === undefined ? undefined : { name };
  }

  #span([shortest, longest]: NonNullable<ConstraintEntry['span']>, { place }: Subject): Test {
    const nanoseconds = (text: string): string => {
      const parsed = parseDuration(text);
      if (parsed === undefined) this.#tell(place, `${text} is no duration.`);
      return String(parsed ?? 0n);
    };
    return { name: 'span', shortest: nanoseconds(shortest), ...(longest !== undefined && { longest: nanoseconds(longest) }) };
  }

  #holds({ scoped = false }: ConstraintEntry, rule: string, { use, holder, pass }: Subject): Test {
    const definition = structOf(this.#model, use)?.definition;
    const comparing = pass !== 'object';
    return { name: 'holds', rule, scoped, comparing, holder: holder.definition, ...(definition !== undefined && { definition }) };
  }

  #unique(entry: ConstraintEntry, unique: NonNullable<ConstraintEntry['unique']>, { inElements, place }: Subject): Test {
    if (!inElements) this.#tell(place, 'Only elements of a list can be unique: the entry belongs in `items`.');
    const keys = unique === true ? [] : [unique].flat().map(String);
    return { name: 'unique', keys, set: this.#uniques++, countsUnset: entry.countsUnset === true };
  }

  #limit(limit: number | string, subject: Subject): Limit {
    if (typeof limit === 'number') return limit;
    const use = typeAtPath(this.#model, subject.holder, limit);
    if (use === undefined || use === 'anything') {
      this.#tell(subject.place, `${subject.holder.name} has no member ${limit}.`);
      return 0;
    }
    const path = limit.split('.');
    return { path, zero: !shapeAt(this.#model, subject.holder, path, use).pointer };
  }
}

/** @param entry says how a finding is worded, where it is reported and what it ends */
export function check(
  test: Test,
  entry: Pick<ConstraintEntry, 'message' | 'as' | 'path' | 'shown' | 'limit' | 'of' | 'absent' | 'stop' | 'ratchet' | 'join'> = {},
): CheckStep {
  return {
    do: 'check',
    test,
    ...(entry.message !== undefined && { detail: entry.message }),
    ...(entry.join !== undefined && { join: entry.join }),
    ...(entry.as !== undefined && { as: entry.as satisfies FindingName }),
    ...(entry.path !== undefined && { path: entry.path }),
    ...('shown' in entry && { shown: { value: entry.shown } }),
    ...(entry.limit !== undefined && { limit: entry.limit }),
    ...('absent' in entry && { absent: { value: entry.absent } }),
    ofHolder: entry.of === 'holder',
    stop: entry.stop ?? test.name === 'required',
    ratchet: entry.ratchet === true,
  };
}

/** @returns the known values of a type, in the order of the schema; [] for a type without known values */
export function knownValues(use: TypeUse): readonly string[] {
  return use.kind === 'primitive' ? (use.enum ?? use.constants ?? []) : [];
}
