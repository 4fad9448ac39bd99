/**
 * Decodes what a structural type says nothing of. Only such values have no end that a schema sets: they may be deeper than the stack, so they are gone
 * through without recursion.
 */
import { areSorted, compareUtf8, isObject, type JsonObject, setMember } from '../json/member.ts';
import { untypedScalar } from '../untyped.ts';

export interface UndeclaredOptions {
  /** whether members stay, which are sorted then; otherwise all are dropped */
  readonly keeps: boolean;
  /** whether what does not change may stay the same value */
  readonly reuses: boolean;
  /** hears how many members were dropped */
  readonly drop: (count: number) => void;
}

/** @throws ScalarError for a number that exceeds doubles */
export function undeclaredValue(value: unknown, options: UndeclaredOptions): unknown {
  const first = begin(value, options);
  if (!(first instanceof Container)) return first;
  const around: Container[] = [];
  for (let container = first; ; ) {
    const next = container.isDone ? container.decoded : begin(container.given, options);
    if (next instanceof Container) {
      around.push(container);
      container = next;
    } else if (!container.isDone) container.put(next);
    else {
      const outer = around.pop();
      if (outer === undefined) return next;
      outer.put(next);
      container = outer;
    }
  }
}

/** @returns what is decoded already, or what has values that are still to be decoded */
function begin(value: unknown, { keeps, reuses, drop }: UndeclaredOptions): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return new Container(value, undefined, reuses ? undefined : new Array<unknown>(value.length));
  if (!isObject(value)) return untypedScalar(value);
  const names = Object.keys(value);
  if (!keeps) {
    drop(names.length);
    return reuses && names.length === 0 ? value : {};
  }
  const isSorted = areSorted(names);
  if (!isSorted) names.sort(compareUtf8);
  return new Container(value, names, reuses && isSorted ? undefined : {});
}

/** A list or an object, some values of which are decoded. */
class Container {
  readonly #source: readonly unknown[] | JsonObject;
  /** of the members, in order; undefined for a list */
  readonly #names: readonly string[] | undefined;
  readonly #length: number;
  /** undefined: nothing has changed so far */
  #made: unknown[] | JsonObject | undefined;
  #at = 0;

  constructor(source: readonly unknown[] | JsonObject, names: readonly string[] | undefined, made: unknown[] | JsonObject | undefined) {
    this.#source = source;
    this.#names = names;
    this.#length = (names ?? (source as readonly unknown[])).length;
    this.#made = made;
  }

  get isDone(): boolean {
    return this.#at === this.#length;
  }

  get decoded(): unknown {
    return this.#made ?? this.#source;
  }

  /** The value that is to be decoded next. */
  get given(): unknown {
    return this.#valueAt(this.#at);
  }

  /** Takes the decoded form of the value that was to be decoded next. */
  put(value: unknown): void {
    if (this.#made === undefined && value !== this.given) this.#copyFormer();
    if (this.#made !== undefined) this.#set(this.#at, value);
    this.#at++;
  }

  /** The source stays as it is. */
  #copyFormer(): void {
    this.#made = this.#names === undefined ? [] : {};
    for (let at = 0; at < this.#at; at++) this.#set(at, this.#valueAt(at));
  }

  #valueAt(at: number): unknown {
    return this.#names === undefined ? (this.#source as readonly unknown[])[at] : (this.#source as JsonObject)[this.#names[at] as string];
  }

  #set(at: number, value: unknown): void {
    if (this.#names === undefined) (this.#made as unknown[])[at] = value;
    else setMember(this.#made as JsonObject, this.#names[at] as string, value);
  }
}
