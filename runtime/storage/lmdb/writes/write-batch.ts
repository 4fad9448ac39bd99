import { StorageError } from '../../errors.ts';
import type { State } from '../codecs/codecs.ts';
import type { Tables } from '../tables/tables.ts';

/** Work of one writer, which runs inside a write transaction. It may throw a StorageError before its first write; any other error fails the whole batch. */
export type Work<T> = (tables: Tables, state: State) => T;

/** The tasks of one transaction, or of one flush of the write-ahead log. */
export class Batch {
  readonly tasks: Task<unknown>[] = [];
  /** the newest revision when the tasks had run */
  revision = 0;
  /** the error of a task that has failed the batch; undefined where LMDB or the log has failed, or nothing has */
  thrown: unknown;

  /** @param work returns the newest revision when it has run */
  run(work: () => number): void {
    try {
      this.revision = work();
    } catch (error) {
      this.thrown = error;
      throw error;
    }
  }
}

/** How a task tells its writer what became of it. */
interface Outcome<T> {
  readonly over: (result?: T) => void;
  readonly resolve: (result: T) => void;
  readonly reject: (error: unknown) => void;
}

export class Task<T> {
  readonly deferrable: boolean;
  readonly #work: Work<T>;
  readonly #outcome: Outcome<T>;
  #result: T | undefined;
  #refused: StorageError | undefined;
  #mayBeLogged = false;

  constructor(work: Work<T>, deferrable: boolean, outcome: Outcome<T>) {
    this.#work = work;
    this.deferrable = deferrable;
    this.#outcome = outcome;
  }

  /** Runs the work. Called again where the batch failed, and its work goes into another one. */
  run(tables: Tables, state: State): void {
    this.#refused = undefined;
    try {
      this.#result = this.#work(tables, state);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.#refused = error;
    }
  }

  /** The log could not be flushed with what the work has written. */
  loggedInVain(): void {
    this.#mayBeLogged = this.#refused === undefined;
  }

  /** Whether the log may have what the work has written, where nobody could take that back. */
  get mayBeLogged(): boolean {
    return this.#mayBeLogged;
  }

  settle(): void {
    if (this.#refused !== undefined) return this.reject(this.#refused);
    const result = this.#result as T;
    this.#outcome.over(result);
    this.#outcome.resolve(result);
  }

  reject(error: unknown): void {
    this.#outcome.over();
    this.#outcome.reject(error);
  }
}

/** Calls `run` with the state, and writes the state where `run` has changed it. @returns the newest revision then */
export function runWithState(tables: Tables, run: (state: State) => void): number {
  const before = tables.state();
  const state = { ...before };
  run(state);
  if (changed(before, state)) tables.putState(state);
  return state.revision;
}

const changed = (before: State, after: State): boolean =>
  before.revision !== after.revision ||
  before.compacted !== after.compacted ||
  before.liveBytes !== after.liveBytes ||
  before.historyBytes !== after.historyBytes ||
  before.posted !== after.posted;
