/**
 * Values that a release does not have yet. What validators of today say of a value that nobody knows is what that release says of them: they are shown an object
 * with names of no value in their places.
 */
import type { StructType, Type } from '../../contract/descriptor.ts';
import type { FieldError } from '../../contract/field-error.ts';
import { type ReleasedTypes, reachable } from './released-types.ts';

/** Invisible, in no value that a field has, and quoted by Go as it is: a value with it is none that anybody knows. */
const UNKNOWN = '\u034f';

type Members = Record<string, unknown>;

export class MissingValues {
  readonly #types: Pick<ReleasedTypes, 'missingValues'>;
  /** of each struct, whether it or one that it leads to has such values */
  readonly #leads = new Map<StructType, boolean>();

  constructor(types: Pick<ReleasedTypes, 'missingValues'>) {
    this.#types = types;
  }

  /** Whether objects of a type can have any. */
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
   * @param old stored at the same place: a value that it has already stays one that is known
   * @returns the object itself where it has none; otherwise a copy of what leads to them
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

  /** What was found, in the words of who knows no such values. */
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

  /** @param path as findings have it */
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

/** @param value of a field, a list or a map of such */
function hiddenIn(value: unknown, missing: ReadonlySet<string>, old: unknown): unknown {
  if (typeof value === 'string') return missing.has(value) && value !== old ? `${value}${UNKNOWN}` : value;
  if (Array.isArray(value)) {
    const known = Array.isArray(old) ? old : [];
    return same(
      value,
      value.map((each) => (known.includes(each) ? each : hiddenIn(each, missing, undefined))),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, each]) => [name, hiddenIn(each, missing, at(old, name))] as const);
  return members.every(([name, each]) => each === (value as Members)[name]) ? value : Object.fromEntries(members);
}

const SUPPORTED = 'supported values: ';

/** The list of values in the end of a message, without some of them. */
function withoutValues(message: string, missing: ReadonlySet<string>): string {
  const start = message.lastIndexOf(SUPPORTED);
  if (start === -1) return message;
  const values = message.slice(start + SUPPORTED.length).split(', ');
  const kept = values.filter((value) => !missing.has(value.replace(/^"|"$/g, '')));
  return `${message.slice(0, start)}${SUPPORTED}${kept.join(', ')}`;
}
