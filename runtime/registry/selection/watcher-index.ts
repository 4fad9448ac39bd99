/** Finds the watchers that may want a change, by the one field value that a watcher asks for. So watchers of other values cost a change nothing. */
import type { StoredObject } from '../stored-objects/stored-object.ts';

/** A field that must have one value: 0 is the name, 1 the namespace, from 2 on the selectable fields of the resource. */
export interface Trigger {
  readonly field: number;
  readonly value: string;
}

/** The parts of a change that triggers are compared with. */
export interface Triggering {
  readonly namespace: string;
  readonly name: string;
  readonly stored: StoredObject;
  readonly previous: StoredObject | undefined;
}

/** Values of an object's selectable fields, in the order in which the resource lists the fields. */
export type FieldsOf = (stored: StoredObject) => readonly string[];

export const NAME_FIELD = 0;
export const NAMESPACE_FIELD = 1;
export const FIRST_STORED_FIELD = 2;

export class WatcherIndex<T extends { readonly trigger: Trigger | undefined }> {
  readonly #fieldsOf: FieldsOf;
  readonly #untriggered = new Set<T>();
  /** the watchers that want only objects with a certain value of a field, by the field, then by the value */
  readonly #triggered = new Map<number, Map<string, Set<T>>>();
  #size = 0;

  constructor(fieldsOf: FieldsOf) {
    this.#fieldsOf = fieldsOf;
  }

  get size(): number {
    return this.#size;
  }

  add(watcher: T): void {
    const group = this.#groupOf(watcher.trigger);
    if (!group.has(watcher)) this.#size++;
    group.add(watcher);
  }

  remove(watcher: T): void {
    const { trigger } = watcher;
    const values = trigger === undefined ? undefined : this.#triggered.get(trigger.field);
    const group = trigger === undefined ? this.#untriggered : values?.get(trigger.value);
    if (group?.delete(watcher) !== true) return;
    this.#size--;
    if (trigger === undefined || group.size > 0) return;
    values?.delete(trigger.value);
    if (values?.size === 0) this.#triggered.delete(trigger.field);
  }

  /** All watchers, in no order. During the iteration watchers may be removed, and none added. */
  *all(): Generator<T> {
    yield* this.#untriggered;
    for (const values of this.#triggered.values()) for (const group of values.values()) yield* group;
  }

  /** Counts the watchers that want every change, changes of this namespace, or changes of objects of this name. */
  of(namespace: string, name: string): number {
    const ofNamespace = this.#triggered.get(NAMESPACE_FIELD)?.get(namespace)?.size ?? 0;
    const ofName = this.#triggered.get(NAME_FIELD)?.get(name)?.size ?? 0;
    return this.#untriggered.size + ofNamespace + ofName;
  }

  /** Calls `tell` once with each watcher whose trigger has its value before or after the change. `tell` may remove watchers. */
  tell(change: Triggering, tell: (watcher: T) => void): void {
    for (const watcher of this.#untriggered) tell(watcher);
    for (const [field, values] of this.#triggered) {
      const after = this.#valueOf(change, change.stored, field);
      const before = field < FIRST_STORED_FIELD || change.previous === undefined ? after : this.#valueOf(change, change.previous, field);
      for (const watcher of values.get(after) ?? []) tell(watcher);
      if (before !== after) for (const watcher of values.get(before) ?? []) tell(watcher);
    }
  }

  #groupOf(trigger: Trigger | undefined): Set<T> {
    if (trigger === undefined) return this.#untriggered;
    let values = this.#triggered.get(trigger.field);
    if (values === undefined) {
      values = new Map();
      this.#triggered.set(trigger.field, values);
    }
    let group = values.get(trigger.value);
    if (group === undefined) {
      group = new Set();
      values.set(trigger.value, group);
    }
    return group;
  }

  #valueOf(change: Triggering, stored: StoredObject, field: number): string {
    if (field === NAME_FIELD) return change.name;
    if (field === NAMESPACE_FIELD) return change.namespace;
    return this.#fieldsOf(stored)[field - FIRST_STORED_FIELD] ?? '';
  }
}
