/** Two values side by side: what is equal in them and what is not, down to the last member. */
import { compareUtf8, type JsonObject } from '../schema/json/member.ts';
import { type Edit, editScript, type Likeness } from './edit-script.ts';
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

  /** @param limit places to look at */
  constructor(limit: number) {
    this.#left = limit;
  }

  /** @param places a part of one, too. @throws TooManyValues */
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
    return branch(type, x, y, this.#edited(type, x, y, this.#script(type, x, y)));
  }

  /** Compares an element with several of the other side, so it remembers only how alike two are. */
  #script({ element }: GoSlice, x: readonly unknown[], y: readonly unknown[]): Edit[] {
    const known = new Map<number, Likeness>();
    return editScript(x.length, y.length, (i, j) => {
      const key = i * y.length + j;
      let likeness = known.get(key);
      if (likeness === undefined) {
        likeness = { same: 0, different: 0 };
        this.#count(element, x[i], y[j], likeness);
        known.set(key, likeness);
      }
      return likeness;
    });
  }

  #edited({ element }: GoSlice, x: readonly unknown[], y: readonly unknown[], edits: readonly Edit[]): ComparedEntry[] {
    let [i, j] = [0, 0];
    return edits.map((edit) => {
      if (edit === 'removed') return { key: '', value: oneSided(element, x[i++], 'y') };
      if (edit === 'inserted') return { key: '', value: oneSided(element, y[j++], 'x') };
      return { key: '', value: this.compare(element, x[i++], y[j++]) };
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

  /** Adds the leaves that `compare` would find. */
  #count(type: GoType, x: unknown, y: unknown, sum: Counts): void {
    this.spend(1);
    if (type.kind === 'struct' && type.equals === undefined) {
      for (const field of type.fields) this.#count(field.type, field.of(x), field.of(y), sum);
      return;
    }
    if (type.kind === 'struct' || x === undefined || y === undefined || !('element' in type || 'value' in type))
      return countLeaf(sum, equalLeaves(type, x, y));
    if (type.kind === 'pointer') return this.#count(type.element, x, y, sum);
    if (type.kind === 'slice') return this.#countElements(type, x as readonly unknown[], y as readonly unknown[], sum);
    this.#countEntries(type, x as JsonObject, y as JsonObject, sum);
  }

  #countElements(type: GoSlice, x: readonly unknown[], y: readonly unknown[], sum: Counts): void {
    let [i, j] = [0, 0];
    for (const edit of this.#script(type, x, y)) {
      if (edit === 'removed' || edit === 'inserted') countLeaf(sum, false);
      else this.#count(type.element, x[i], y[j], sum);
      if (edit !== 'inserted') i++;
      if (edit !== 'removed') j++;
    }
  }

  #countEntries({ value }: GoMap, x: JsonObject, y: JsonObject, sum: Counts): void {
    for (const key of Object.keys(x)) {
      if (Object.hasOwn(y, key)) this.#count(value, x[key], y[key], sum);
      else countLeaf(sum, false);
    }
    for (const key of Object.keys(y)) if (!Object.hasOwn(x, key)) countLeaf(sum, false);
  }
}

type Counts = { -readonly [K in keyof Likeness]: number };

function countLeaf(sum: Counts, equal: boolean): void {
  if (equal) sum.same++;
  else sum.different++;
}

/** Of values that have nothing below them, or of which one is nil. */
function equalLeaves(type: GoType, x: unknown, y: unknown): boolean {
  if (type.kind === 'struct') return type.equals?.(x, y) === true;
  return 'element' in type || 'value' in type ? x === y : equalScalars(type, x, y);
}

function equalScalars(type: GoType, x: unknown, y: unknown): boolean {
  if (x === y) return true;
  if (isZero(type, x)) return isZero(type, y);
  return type.kind === 'number' && y !== undefined && scalarText(x) === scalarText(y);
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
