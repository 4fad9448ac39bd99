/** What changes a status, as operations of a JSON patch: of what is long they say what is another, or where it stands already. */
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';

export type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'copy'; readonly path: string; readonly from: string }
  | { readonly op: 'remove'; readonly path: string };

/** Elements of a list that are told of one by one: where more have changed, all are told. */
const FEW = 50;

/** Elements that are compared between two yields. */
const SOME = 128;

/**
 * Between its pieces the caller does what it wants.
 * @param edited the object with another status
 * @param shared JSON pointers to values of the object which its new status may have as well, as the same ones
 */
export function* statusPatch(edited: ApiObject, old: ApiObject, shared: readonly string[]): Generator<void, Operation[], void> {
  const patch = new StatusPatch(new Map(shared.flatMap((pointer) => pointersTo(valueAt(old, pointer), pointer))));
  const { status } = old;
  if (status === undefined && edited.status !== undefined) patch.operations.push({ op: 'add', path: '/status', value: {} });
  yield* patch.addObject('/status', edited.status ?? {}, status ?? {});
  return Object.keys(edited.status ?? {}).length === 0 && status === undefined ? [] : patch.operations;
}

function valueAt(object: ApiObject, pointer: string): unknown {
  let value: unknown = object;
  for (const name of pointer.split('/').slice(1)) value = isObject(value) ? value[name] : undefined;
  return value;
}

const pointersTo = (value: unknown, pointer: string): [unknown, string][] => (value === undefined ? [] : [[value, pointer]]);

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

class StatusPatch {
  readonly operations: Operation[] = [];
  /** pointers to values that need not be told */
  readonly #shared: ReadonlyMap<unknown, string>;

  constructor(shared: ReadonlyMap<unknown, string>) {
    this.#shared = shared;
  }

  *addObject(at: string, wanted: JsonObject, old: JsonObject): Generator<void, void, void> {
    for (const name of Object.keys(old))
      if (wanted[name] === undefined && old[name] !== undefined) this.operations.push({ op: 'remove', path: `${at}/${escaped(name)}` });
    for (const [name, value] of Object.entries(wanted)) yield* this.#add(`${at}/${escaped(name)}`, value, old[name]);
  }

  *#add(path: string, value: unknown, before: unknown): Generator<void, void, void> {
    if (value === undefined || value === before) return;
    if (isObject(value) && isObject(before)) return yield* this.addObject(path, value, before);
    if (isObject(value) && Object.values(value).some((each) => this.#shared.has(each))) {
      this.operations.push({ op: 'add', path, value: {} });
      return yield* this.addObject(path, value, {});
    }
    const from = this.#shared.get(value);
    if (Array.isArray(value) && Array.isArray(before)) return yield* this.#addList(path, value, before, from);
    if (from !== undefined) this.operations.push({ op: 'copy', path, from });
    else if (!deepEqual(value, before)) this.operations.push({ op: 'add', path, value });
  }

  *#addList(path: string, list: readonly unknown[], before: readonly unknown[], from: string | undefined): Generator<void, void, void> {
    const changed: number[] = [];
    for (let i = 0; i < list.length && changed.length <= FEW; i++) {
      if (i >= before.length || !deepEqual(list[i], before[i])) changed.push(i);
      if (i % SOME === SOME - 1) yield;
    }
    if (changed.length === 0 && list.length === before.length) return;
    if (from !== undefined) this.operations.push({ op: 'copy', path, from });
    else if (changed.length > FEW || list.length < before.length) this.operations.push({ op: 'add', path, value: list });
    else for (const i of changed) this.operations.push({ op: i < before.length ? 'replace' : 'add', path: `${path}/${i}`, value: list[i] });
  }
}
