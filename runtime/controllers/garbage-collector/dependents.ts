/**
 * Who depends on whom: for each uid that owner references name, the keys of the objects that have them. All else about objects is read from the
 * store when it is needed; objects without owners take no room here.
 */
interface Dependents {
  /** whose references say blockOwnerDeletion */
  blocking?: Set<string>;
  others?: Set<string>;
}

export class DependentsIndex {
  readonly #owners = new Map<string, Dependents>();

  /** Number of owners that have dependents. */
  get size(): number {
    return this.#owners.size;
  }

  /** An edge that is there already gets the new meaning. */
  set(owner: string, dependent: string, blocking: boolean): void {
    let dependents = this.#owners.get(owner);
    if (dependents === undefined) {
      dependents = {};
      this.#owners.set(owner, dependents);
    }
    if (blocking) {
      dependents.blocking ??= new Set();
      dependents.blocking.add(dependent);
      dependents.others?.delete(dependent);
    } else {
      dependents.others ??= new Set();
      dependents.others.add(dependent);
      dependents.blocking?.delete(dependent);
    }
  }

  remove(owner: string, dependent: string): void {
    const dependents = this.#owners.get(owner);
    if (dependents === undefined) return;
    dependents.blocking?.delete(dependent);
    dependents.others?.delete(dependent);
    if (!isNonEmpty(dependents.blocking) && !isNonEmpty(dependents.others)) this.#owners.delete(owner);
  }

  has(owner: string): boolean {
    return this.#owners.has(owner);
  }

  hasBlocking(owner: string): boolean {
    return isNonEmpty(this.#owners.get(owner)?.blocking);
  }

  /** Keys, blocking ones first; changes meanwhile may or may not be seen. */
  *of(owner: string): Generator<string> {
    const dependents = this.#owners.get(owner);
    if (dependents?.blocking !== undefined) yield* dependents.blocking;
    if (dependents?.others !== undefined) yield* dependents.others;
  }

  clear(): void {
    this.#owners.clear();
  }
}

const isNonEmpty = (keys: ReadonlySet<string> | undefined): boolean => keys !== undefined && keys.size > 0;
