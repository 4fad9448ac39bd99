/** Two values side by side: what is equal in them and what is not, down to the last member. */
import { compareUtf8, type JsonObject } from '../schema/member.ts';
import { type Edit, editScript } from './edit-script.ts';
import { type GoMap, type GoPointer, type GoSlice, type GoStruct, type GoType, isZero, scalarText } from './go-type.ts';

/** Where two values, or a value and nothing, were compared. */
export interface Comparison {
  readonly type: GoType;
  readonly x: unknown;
  readonly y: unknown;
  /** an element or an entry that only one side has */
  readonly missing?: 'x' | 'y';
  /** leaves below, or the place itself, that are equal */
  readonly same: number;
  readonly different: number;
  /** compared by the type's own method */
  readonly byMethod: number;
  /** places below, at any depth */
  readonly places: number;
  /** 0 for a leaf */
  readonly depth: number;
  /** of structs, slices and maps that were entered */
  readonly entries?: readonly ComparedEntry[];
  /** of pointers that were followed */
  readonly target?: Comparison;
}

export interface ComparedEntry {
  /** name of a member, key of an entry; '' for an element */
  readonly key: string;
  readonly value: Comparison;
}

/** The values have more members than the comparison may look at. */
export class TooManyValues extends Error {}

export class Comparer {
  #left: number;

  /** @param limit places to look at; each byte of a long text is one when texts are compared by bytes */
  constructor(limit: number) {
    this.#left = limit;
  }

  /** @throws TooManyValues */
  spend(places: number): void {
    this.#left -= places;
    if (this.#left < 0) throw new TooManyValues();
  }

  /** @throws TooManyValues */
  compare(type: GoType, x: unknown, y: unknown): Comparison {
    this.spend(1);
    switch (type.kind) {
      case 'struct':
        return this.#structs(type, x, y);
      case 'slice':
        return this.#slices(type, x as readonly unknown[] | undefined, y as readonly unknown[] | undefined);
      case 'map':
        return this.#maps(type, x as JsonObject | undefined, y as JsonObject | undefined);
      case 'pointer':
        return this.#pointers(type, x, y);
      default:
        return leaf(type, x, y, equalScalars(type, x, y));
    }
  }

  #structs(type: GoStruct, x: unknown, y: unknown): Comparison {
    if (type.equals !== undefined) return { ...leaf(type, x, y, type.equals(x, y)), byMethod: 1 };
    const entries = type.fields.map((field) => ({ key: field.name, value: this.compare(field.type, field.of(x), field.of(y)) }));
    return branch(type, x, y, entries);
  }

  #slices(type: GoSlice, x: readonly unknown[] | undefined, y: readonly unknown[] | undefined): Comparison {
    if (x === undefined || y === undefined) return leaf(type, x, y, x === y);
    const pairs = new Map<number, Comparison>();
    const pair = (i: number, j: number): Comparison => {
      const key = i * y.length + j;
      const known = pairs.get(key) ?? this.compare(type.element, x[i], y[j]);
      pairs.set(key, known);
      return known;
    };
    const edits = editScript(x.length, y.length, pair);
    return branch(type, x, y, this.#edited(type, x, y, edits, pair));
  }

  #edited(
    { element }: GoSlice,
    x: readonly unknown[],
    y: readonly unknown[],
    edits: readonly Edit[],
    pair: (i: number, j: number) => Comparison,
  ): ComparedEntry[] {
    let [i, j] = [0, 0];
    return edits.map((edit) => {
      if (edit === 'removed') return { key: '', value: oneSided(element, x[i++], 'y') };
      if (edit === 'inserted') return { key: '', value: oneSided(element, y[j++], 'x') };
      return { key: '', value: pair(i++, j++) };
    });
  }

  #maps(type: GoMap, x: JsonObject | undefined, y: JsonObject | undefined): Comparison {
    if (x === undefined || y === undefined) return leaf(type, x, y, x === y);
    const keys = [...new Set([...Object.keys(x), ...Object.keys(y)])].sort(compareUtf8);
    const entries = keys.map((key) => {
      if (!Object.hasOwn(y, key)) return { key, value: oneSided(type.value, x[key], 'y') };
      if (!Object.hasOwn(x, key)) return { key, value: oneSided(type.value, y[key], 'x') };
      return { key, value: this.compare(type.value, x[key], y[key]) };
    });
    return branch(type, x, y, entries);
  }

  #pointers(type: GoPointer, x: unknown, y: unknown): Comparison {
    if (x === undefined || y === undefined) return leaf(type, x, y, x === y);
    const target = this.compare(type.element, x, y);
    return { ...branch(type, x, y, [{ key: '', value: target }]), entries: undefined, target };
  }
}

function equalScalars(type: GoType, x: unknown, y: unknown): boolean {
  if (x === y) return true;
  return isZero(type, x) ? isZero(type, y) : y !== undefined && scalarText(x) === scalarText(y);
}

function leaf(type: GoType, x: unknown, y: unknown, equal: boolean): Comparison {
  return { type, x, y, same: equal ? 1 : 0, different: equal ? 0 : 1, byMethod: 0, places: 0, depth: 0 };
}

function oneSided(type: GoType, value: unknown, missing: 'x' | 'y'): Comparison {
  const [x, y] = missing === 'y' ? [value, undefined] : [undefined, value];
  return { ...leaf(type, x, y, false), missing };
}

function branch(type: GoType, x: unknown, y: unknown, entries: readonly ComparedEntry[]): Comparison {
  const counts = { same: 0, different: 0, byMethod: 0, places: entries.length, depth: 0 };
  for (const { value } of entries) {
    counts.same += value.same;
    counts.different += value.different;
    counts.byMethod += value.byMethod;
    counts.places += value.places;
    counts.depth = Math.max(counts.depth, value.depth + 1);
  }
  return { type, x, y, ...counts, entries };
}
