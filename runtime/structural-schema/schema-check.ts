/**
 * Checks values against a schema, with the checks, words and order of 1.32. Checks are made when a value first reaches their schema. Values
 * that an update leaves unchanged are not reported.
 */
import { type FieldError, invalid, MOST_FINDINGS, required } from '../contract/field-error.ts';
import { isObject, type JsonObject } from '../schema/json/member.ts';
import { isUnchanged, oldElementOf } from './correlation.ts';
import type { CustomSchema } from './custom-schema.ts';
import { composite, Found } from './found.ts';
import { heldNumber } from './held-numbers.ts';
import { type Check, checksOf, formatOf, type Reading } from './value-checks.ts';

export class SchemaCheck {
  readonly #schema: CustomSchema;
  readonly #reading: Reading;
  #parts: Parts | undefined;

  constructor(schema: CustomSchema, reading: Reading = 'of objects') {
    this.#schema = schema;
    this.#reading = reading;
  }

  /** @param old the stored object; undefined: there is none @returns errors with paths relative to the object */
  findings(value: unknown, old: unknown): readonly FieldError[] {
    return this.check(value, old, '').errors.map((error) => ({ ...error, field: fieldOf(error.field) }));
  }

  /** @param old the former value at the same place; undefined: it is not known */
  check(value: unknown, old: unknown, path: string): Found {
    const found = this.#check(value, old, path);
    const isAsBefore = !found.isValid && old !== undefined && isUnchanged(this.#schema, value, old);
    return isAsBefore ? new Found() : found;
  }

  #check(value: unknown, old: unknown, path: string): Found {
    this.#parts ??= partsOf(this.#schema, this.#reading);
    const { checks, alternatives } = this.#parts;
    const found = new Found();
    const run = (check: Check): void => {
      for (const error of check.of(value, path)) found.add(error);
    };
    for (const check of checks) if (check.at === 'first') run(check);
    if (found.isValid) found.matches++;
    if (value === null || value === undefined) {
      for (const check of checks) if (check.at === 'last') run(check);
      return found;
    }
    found.matches += keywordsFor(value, this.#parts);
    for (const alternative of alternatives) alternative(value, path, found);
    for (const check of checks) if (check.at === 'scalar') run(check);
    if (Array.isArray(value)) this.#items(value, old, path, found);
    for (const check of checks) if (check.at === 'list' || check.at === 'last') run(check);
    if (isObject(value)) {
      for (const check of checks) if (check.at === 'object') run(check);
      this.#members(value, old, path, found);
    }
    return found;
  }

  #items(list: readonly unknown[], old: unknown, path: string, found: Found): void {
    const { items } = this.#parts as Parts;
    if (items === undefined) return;
    const oldOf = oldElementOf(this.#schema, old);
    for (let i = 0; i < list.length && found.errors.length <= MOST_FINDINGS; i++)
      found.merge(items.check(list[i], oldOf?.(list[i]), `${path}[${i}]`));
  }

  #members(object: JsonObject, old: unknown, path: string, found: Found): void {
    const { members, others, schema } = this.#parts as Parts;
    const stored = isObject(old) ? old : {};
    if (schema.additionalProperties === false) for (const error of forbidden(Object.keys(object), members, path)) found.add(error);
    for (const name of Object.keys(object)) {
      if (found.errors.length > MOST_FINDINGS) return;
      const declared = members.get(name);
      const at = declared !== undefined && path === '' ? name : `${path}.${name}`;
      const one = (declared ?? others)?.check(object[name], Object.hasOwn(stored, name) ? stored[name] : undefined, at);
      if (one !== undefined) found.merge(one);
    }
    for (const name of schema.required ?? []) if (!Object.hasOwn(object, name)) found.add(required(`${path}.${name}`));
  }
}

/** Names that the schema of an object does not declare, where it takes no others. */
function forbidden(names: readonly string[], declared: ReadonlyMap<string, unknown>, path: string): readonly FieldError[] {
  const others = names.filter((name) => !declared.has(name)).slice(0, MOST_FINDINGS + 1);
  return others.map((name) => invalid(path, name, `${path}.${name} in body is a forbidden property`));
}

/** Removes the leading dot that paths have if the object itself does not declare their first member. */
const fieldOf = (path: string): string => (path.startsWith('.') ? path.slice(1) : path);

/**
 * What kube-openapi counts as matches of a value besides those of its members. 1.32 reports the failing alternative with the most matches.
 * Each validator that applies to the value counts once or twice, whether it finds an error or not.
 */
function keywordsFor(value: unknown, { hasType, hasFormat }: Parts): number {
  const ofAll = hasType ? 5 : 3;
  if (typeof value === 'string') return ofAll + (hasFormat ? 2 : 1);
  if (Array.isArray(value) || heldNumber(value) !== undefined) return ofAll + 2;
  return ofAll + (isObject(value) ? 1 : 0);
}

interface Parts {
  readonly schema: CustomSchema;
  readonly hasType: boolean;
  readonly hasFormat: boolean;
  readonly checks: readonly Check[];
  readonly alternatives: readonly Alternatives[];
  readonly members: ReadonlyMap<string, SchemaCheck>;
  /** check of undeclared members */
  readonly others: SchemaCheck | undefined;
  readonly items: SchemaCheck | undefined;
}

function partsOf(schema: CustomSchema, reading: Reading): Parts {
  const { properties = {}, additionalProperties: others, items } = schema;
  const checks = checksOf(schema, reading);
  return {
    schema,
    hasType: checks.some(({ at }) => at === 'first'),
    hasFormat: formatOf(schema) !== '',
    checks,
    alternatives: alternativesOf(schema, reading),
    members: new Map(Object.entries(properties).map(([name, member]) => [name, new SchemaCheck(member, reading)])),
    others: typeof others === 'object' ? new SchemaCheck(others, reading) : undefined,
    items: items === undefined ? undefined : new SchemaCheck(items, reading),
  };
}

/** As in 1.32, an alternative finds what an update leaves as it was, unless all of the value stays. */
type Alternatives = (value: unknown, path: string, found: Found) => void;

const shownPath = (path: string): string => JSON.stringify(path);

function alternativesOf({ anyOf = [], oneOf = [], allOf = [], not }: CustomSchema, reading: Reading): Alternatives[] {
  const checkOf = (each: CustomSchema) => new SchemaCheck(each, reading);
  return [
    ...(anyOf.length > 0 ? [anyOfThem(anyOf.map(checkOf))] : []),
    ...(oneOf.length > 0 ? [oneOfThem(oneOf.map(checkOf))] : []),
    ...(allOf.length > 0 ? [allOfThem(allOf.map(checkOf))] : []),
    ...(not !== undefined ? [noneOf(checkOf(not))] : []),
  ];
}

/** The failing alternative with the most matches. */
function nearest(failed: readonly Found[]): Found | undefined {
  return failed.reduce<Found | undefined>((best, each) => (best === undefined || each.matches > best.matches ? each : best), undefined);
}

function anyOfThem(schemas: readonly SchemaCheck[]): Alternatives {
  return (value, path, found) => {
    const failed: Found[] = [];
    for (const schema of schemas) {
      const one = schema.check(value, undefined, path);
      if (one.isValid) {
        found.merge(one);
        return;
      }
      failed.push(one);
    }
    found.add(composite(`${shownPath(path)} must validate at least one schema (anyOf)`));
    found.merge(nearest(failed) as Found);
  };
}

function oneOfThem(schemas: readonly SchemaCheck[]): Alternatives {
  return (value, path, found) => {
    const all = schemas.map((schema) => schema.check(value, undefined, path));
    const valid = all.filter((each) => each.isValid);
    const right = valid.length;
    if (right === 1) {
      found.merge(valid[0] as Found);
      return;
    }
    const why = right === 0 ? 'Found none valid' : `Found ${right} valid alternatives`;
    found.add(composite(`${shownPath(path)} must validate one and only one schema (oneOf). ${why}`));
    if (right === 0) found.merge(nearest(all) as Found);
  };
}

function allOfThem(schemas: readonly SchemaCheck[]): Alternatives {
  return (value, path, found) => {
    let right = 0;
    for (const schema of schemas) {
      const one = schema.check(value, undefined, path);
      found.merge(one);
      if (one.isValid) right++;
    }
    if (right < schemas.length)
      found.add(composite(`${shownPath(path)} must validate all the schemas (allOf)${right === 0 ? '. None validated' : ''}`));
  };
}

function noneOf(schema: SchemaCheck): Alternatives {
  return (value, path, found) => {
    if (schema.check(value, undefined, path).isValid) found.add(composite(`${shownPath(path)} must not validate the schema (not)`));
  };
}
