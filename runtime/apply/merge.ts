/** Merges an applied intent into the live object. */
import { isObject, type JsonObject, setMember } from '../schema/json/member.ts';
import { elementOf, groupElements } from './list-elements.ts';
import { type AnyShape, formOf, type KeyedShape, type SetShape, type Shape, type StructShape } from './shape.ts';

/**
 * Every value of the intent takes precedence, and what it does not mention stays. Elements of lists follow the order of the intent; other
 * elements keep their places relative to them.
 * @param live never changed; the result shares what the intent does not change
 * @param intent never changed; the result shares its values
 * @throws ElementError
 */
export function mergeIntent<T extends object>(shape: StructShape, live: T, intent: object): T {
  return mergeMembers(live as JsonObject, intent as JsonObject, (name) => shape.memberShape(name)) as T;
}

/** Neither value is undefined. */
function mergeValues(shape: Shape | undefined, live: unknown, intent: unknown): unknown {
  switch (shape?.kind) {
    case 'struct':
      return mergeObjects(live, intent, (name) => shape.memberShape(name));
    case 'map':
      return mergeObjects(live, intent, () => shape.value);
    case 'any':
      return mergeAny(shape, live, intent);
    case 'untyped':
      return isObject(live) && (intent === null || isObject(intent)) ? mergeObjects(live, intent, () => shape.member) : intent;
    case 'set':
    case 'keyed':
      return mergeLists(shape, live, intent);
    default:
      return intent;
  }
}

/** If the forms differ, the intent takes precedence; but null does not replace an object. */
function mergeAny(shape: AnyShape, live: unknown, intent: unknown): unknown {
  const isObjectLeft = intent === null && isObject(live);
  return isObjectLeft || formOf(shape, live) === formOf(shape, intent) ? mergeValues(formOf(shape, live), live, intent) : intent;
}

type ShapeOf = (name: string) => Shape | undefined;

/** null counts as empty, so it does not replace an object with members. */
function mergeObjects(live: unknown, intent: unknown, shapeOf: ShapeOf): unknown {
  if (!isObject(live) || Object.keys(live).length === 0) return intent;
  return isObject(intent) ? mergeMembers(live, intent, shapeOf) : live;
}

function mergeMembers(live: JsonObject, intent: JsonObject, shapeOf: ShapeOf): JsonObject {
  const merged: JsonObject = {};
  for (const name of Object.keys(live)) {
    const wanted = Object.hasOwn(intent, name) ? intent[name] : undefined;
    const current = live[name];
    if (wanted === undefined) setMember(merged, name, current);
    else setMember(merged, name, current === undefined ? wanted : mergeValues(shapeOf(name), current, wanted));
  }
  for (const name of Object.keys(intent)) if (!Object.hasOwn(live, name)) setMember(merged, name, intent[name]);
  return merged;
}

function mergeLists(shape: KeyedShape | SetShape, live: unknown, intent: unknown): unknown {
  if (!Array.isArray(live) || live.length === 0) return intent;
  return Array.isArray(intent) ? new ListMerge(shape, live, intent).run() : live;
}

/** Merges two lists in one pass, in which shared elements follow the order of the intent. */
class ListMerge {
  readonly #shape: KeyedShape | SetShape;
  readonly #live: readonly unknown[];
  readonly #liveElements: readonly string[];
  readonly #intent: readonly unknown[];
  readonly #intentElements: readonly string[];
  readonly #groups: ReadonlyMap<string, unknown[]>;
  readonly #wanted: ReadonlySet<string>;
  /** elements of both lists, in the order of the intent */
  readonly #shared: readonly string[];
  /** index of the first one that has not been taken */
  #nextShared = 0;
  readonly #taken = new Set<string>();
  readonly #merged: unknown[] = [];

  constructor(shape: KeyedShape | SetShape, live: readonly unknown[], intent: readonly unknown[]) {
    this.#shape = shape;
    this.#live = live;
    this.#intent = intent;
    this.#liveElements = live.map((value) => elementOf(shape, value));
    this.#intentElements = intent.map((value) => elementOf(shape, value));
    this.#groups = groupElements(shape, live);
    this.#wanted = new Set(this.#intentElements);
    this.#shared = this.#intentElements.filter((element) => this.#groups.has(element));
  }

  run(): unknown[] {
    let l = 0;
    let r = 0;
    while (l < this.#live.length || r < this.#intent.length) {
      const live = this.#liveElements[l];
      const wanted = this.#intentElements[r];
      if (live !== undefined && wanted !== undefined) {
        if (live === wanted) {
          this.#take(r++);
          l++;
          continue;
        }
        // the element is shared, but another one comes before it in the intent
        const next = this.#shared[this.#nextShared];
        if (this.#wanted.has(live) && next !== undefined && next !== live) {
          l++;
          continue;
        }
      }
      if (live !== undefined) {
        if (!this.#wanted.has(live)) {
          this.#merged.push(this.#live[l++]);
          continue;
        }
        if (this.#taken.has(live)) l++;
      }
      if (r < this.#intent.length) this.#take(r++);
    }
    return this.#merged;
  }

  /** Adds an element of the intent, merged into the live one if that occurs once. */
  #take(position: number): void {
    const element = this.#intentElements[position] as string;
    const wanted = this.#intent[position];
    const group = this.#groups.get(element);
    this.#taken.add(element);
    if (this.#shared[this.#nextShared] === element) this.#nextShared++;
    const merges = this.#shape.kind === 'keyed' && group?.length === 1;
    this.#merged.push(merges ? mergeValues(this.#shape.element, group[0], wanted) : wanted);
  }
}
