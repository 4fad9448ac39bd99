/** A change of an object as quotas see it: the object is read once for all quotas of its namespace, and not at all where none has to know what is in it. */
import type { Evaluator } from '../../admission/resource-quota/evaluator.ts';
import { isInAll } from '../../admission/resource-quota/scopes.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isLong } from '../../registry/stored-objects/long-value.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { type Amounts, areEqual, NO_AMOUNTS, only } from '../../schema/scalar/amounts.ts';
import type { Change } from '../../storage/storage.ts';
import { isPlain, type Requirements, type TrackedResource } from './tracked-resources.ts';

/** An object before and after a change; undefined where reading it takes long, or it is not known. */
type Read = { readonly before: ApiObject; readonly after: ApiObject; readonly isDeletedNow: boolean } | undefined;

export class UsageChange {
  readonly #change: Change;
  readonly #now: number;
  #read: { readonly objects: Read } | undefined;

  /** @param now milliseconds since 1970 */
  constructor(change: Change, now: number) {
    this.#change = change;
    this.#now = now;
  }

  /** Whether the change may change what a quota is to say. */
  concerns(tracked: TrackedResource, requirements: Requirements): boolean {
    if (this.#change.operation !== 'update') return true;
    const { evaluator, names } = tracked;
    if (evaluator.members.length === 0 || isPlain(tracked, requirements)) return false;
    this.#read ??= { objects: this.#objects() };
    const { objects } = this.#read;
    if (objects === undefined || objects.isDeletedNow) return true;
    const usage = (object: ApiObject): Amounts => this.#usage(evaluator, object, names, requirements);
    return !areEqual(usage(objects.after), usage(objects.before));
  }

  #objects(): Read {
    const { value, previousValue } = this.#change;
    if (previousValue === undefined) return undefined;
    const [after, before] = [new StoredObject(value), new StoredObject(previousValue)];
    if (isLong(after.json, 'reading') || isLong(before.json, 'reading')) return undefined;
    return { before: before.parse(), after: after.parse(), isDeletedNow: after.deleting !== before.deleting };
  }

  #usage(evaluator: Evaluator, object: ApiObject, names: readonly string[], requirements: Requirements): Amounts {
    if (!isInAll(evaluator, requirements, object)) return NO_AMOUNTS;
    return only(evaluator.usage(object, this.#now), (name) => names.includes(name));
  }
}
