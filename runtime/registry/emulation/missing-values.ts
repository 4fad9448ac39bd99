/**
 * Hides values of fields that a release did not have yet. Validators of today must refuse them with the errors for unknown values, so they
 * get an object in which such values are replaced by unknown ones.
 */
import type { StructType, Type } from '../../contract/descriptor.ts';
import type { FieldError } from '../../contract/field-error.ts';
import { type ReleasedTypes, reachable } from './released-types.ts';

/**
 * A value with this end is unknown. It is well-formed where the value is: a set of values that clients may add to, such as the types of
 * a pod's conditions, takes unknown ones, and an earlier release would have taken the value too.
 */
const UNKNOWN = '0unknown0in0release0';

type Members = Record<string, unknown>;

export class MissingValues {
  readonly #types: Pick<ReleasedTypes, 'missingValues'>;
  /** by struct: whether it, or a struct that it refers to, has such values */
  readonly #leads = new Map<StructType, boolean>();

  constructor(types: Pick<ReleasedTypes, 'missingValues'>) {
    this.#types = types;
  }

  /** Whether objects of a type can have such values. */
  isIn(type: Type): boolean {
    if (type.kind === 'list') return this.isIn(type.element);
    if (type.kind === 'map') return this.isIn(type.value);
    if (type.kind !== 'struct') return false;
    let leads = this.#leads.get(type);
    if (leads === undefined) {
      leads = [...reachable(type)].some((each) => this.#types.missingValues(each) !== undefined);
      this.#leads.set(type, leads);
    }
    return leads;
  }

  /**
   * @param old stored value at the same place; values that it already has are not hidden
   * @returns the object itself if it has no such values; otherwise a copy of the parts that lead to them
   */
  hidden<T>(type: Type, value: T, old: unknown): T {
    if (!this.isIn(type) || typeof value !== 'object' || value === null) return value;
    if (type.kind === 'list')
      return (
        Array.isArray(value)
          ? same(
              value,
              value.map((each, index) => this.hidden(type.element, each, at(old, index))),
            )
          : value
      ) as T;
    if (type.kind === 'map') return this.#members(value as Members, old, () => type.value) as T;
    const { fields } = type as StructType;
    const types = new Map(fields.map((field) => [field.name, field.type]));
    const inner = this.#members(value as Members, old, (name) => types.get(name));
    const inlined = fields
      .filter(({ go }) => go?.inline === true)
      .reduce((each, field) => this.hidden(field.type, each, old), inner as Members);
    return this.#own(type as StructType, inlined, old) as T;
  }

  /** Removes the newer values from the message of an error. */
  told(type: StructType, finding: FieldError): FieldError {
    const { reason, field } = finding;
    const message = finding.message.replaceAll(UNKNOWN, '');
    const missing = reason === 'FieldValueNotSupported' ? this.#missingAt(type, field) : undefined;
    const told = missing === undefined ? message : withoutValues(message, missing);
    return told === finding.message ? finding : { ...finding, message: told };
  }

  #own(type: StructType, object: Members, old: unknown): Members {
    const missing = this.#types.missingValues(type);
    if (missing === undefined) return object;
    const changed = [...missing].flatMap(([name, values]) => {
      const value = object[name];
      const own = hiddenIn(value, values, at(old, name));
      return own === value ? [] : [[name, own] as const];
    });
    return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
  }

  #members(object: Members, old: unknown, typeOf: (name: string) => Type | undefined): Members {
    const changed = Object.entries(object).flatMap(([name, value]) => {
      const type = typeOf(name);
      const own = type === undefined ? value : this.hidden(type, value, at(old, name));
      return own === value ? [] : [[name, own] as const];
    });
    return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
  }

  /** @param path as in errors */
  #missingAt(type: StructType, path: string): ReadonlySet<string> | undefined {
    let struct: StructType | undefined = type;
    let found: ReadonlySet<string> | undefined;
    for (const [, name = ''] of path.matchAll(/\.([^.[\]]+)/g)) {
      if (struct === undefined) return undefined;
      found = this.#types.missingValues(struct)?.get(name);
      let next: Type | undefined = struct.fields.find((field) => field.name === name)?.type;
      while (next?.kind === 'list' || next?.kind === 'map') next = next.kind === 'list' ? next.element : next.value;
      struct = next?.kind === 'struct' ? next : undefined;
    }
    return found;
  }
}

function at(object: unknown, name: string | number): unknown {
  return typeof object === 'object' && object !== null ? (object as Record<string | number, unknown>)[name] : undefined;
}

function same<T>(list: readonly T[], made: readonly T[]): readonly T[] {
  return made.every((each, index) => each === list[index]) ? list : made;
}

/** @param value of a field, or a list or map of such values */
function hiddenIn(value: unknown, missing: ReadonlySet<string>, old: unknown): unknown {
  if (typeof value === 'string') return missing.has(value) && value !== old ? `${value}${UNKNOWN}` : value;
  if (Array.isArray(value)) {
    const known = new Set<unknown>(Array.isArray(old) ? old : []);
    return same(
      value,
      value.map((each) => (known.has(each) ? each : hiddenIn(each, missing, undefined))),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name, hiddenIn(each, missing, at(old, name))] as const);
  return members.every(([name, each]) => each === (value as Members)[name]) ? value : Object.fromEntries(members);
}

const SUPPORTED = 'supported values: ';

/** Removes some values from the list at the end of a message. */
function withoutValues(message: string, missing: ReadonlySet<string>): string {
  const start = message.lastIndexOf(SUPPORTED);
  if (start === -1) return message;
  const values = message.slice(start + SUPPORTED.length).split(', ');
  const kept = values.filter((value) => !missing.has(value.replace(/^"|"$/g, '')));
  return `${message.slice(0, start)}${SUPPORTED}${kept.join(', ')}`;
}
