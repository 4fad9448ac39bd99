/** Follows whether the container runtime answers, and whether it says that it is ready. */
import type { RuntimeCondition } from '../../../generated/node-interfaces/container-runtime.ts';
import type { Log } from '../../observability/log.ts';
import type { RuntimeSource } from '../contract/part.ts';
import type { ContainerRuntime } from './container-runtime.ts';

/** Milliseconds between two checks: as in 1.32, and shorter ones before the first answer. */
const INTERVAL = 5_000;
const FIRST_INTERVAL = 1_000;
/** Milliseconds of silence after which a runtime counts as down, as in 1.32. */
const SILENCE = 30_000;

export interface HealthParts {
  readonly runtime: ContainerRuntime;
  readonly log: Log;
  /** whether the node needs the runtime; if not, one that has never answered is no problem */
  readonly isRequired: boolean;
  readonly intervals?: { readonly first: number; readonly later: number; readonly silence: number };
}

export class RuntimeHealth implements RuntimeSource {
  readonly #parts: HealthParts;
  readonly #stopped = new AbortController();
  readonly #listeners: (() => void)[] = [];
  #version: string | undefined;
  #problems: readonly string[];
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  /** time of the last answer, by the monotonic clock; undefined before the first one */
  #answered: number | undefined;
  #failure = '';

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#problems = parts.isRequired ? ['container runtime status check may not have completed yet'] : [];
  }

  start(): void {
    this.#look = this.#lookNow();
  }

  version(): string | undefined {
    return this.#version;
  }

  problems(): readonly string[] {
    return this.#problems;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#look;
  }

  async #lookNow(): Promise<void> {
    const { first, later } = this.#intervals;
    await this.#ask();
    if (this.#stopped.signal.aborted) return;
    this.#timer = setTimeout(() => this.start(), this.#answered === undefined ? first : later);
  }

  async #ask(): Promise<void> {
    const { runtime, log } = this.#parts;
    const { signal } = this.#stopped;
    try {
      const { runtimeName, runtimeVersion } = await runtime.version(signal);
      const conditions = await runtime.conditions(signal);
      this.#answered = performance.now();
      this.#failure = '';
      this.#now(`${runtimeName}://${runtimeVersion}`, conditionProblems(conditions));
    } catch (error) {
      if (signal.aborted) return;
      const { message } = error as Error;
      const isNews = message !== this.#failure && (this.#parts.isRequired || this.#answered !== undefined);
      if (isNews) log.warn({ problem: message }, 'the container runtime does not answer');
      this.#failure = message;
      if (this.#isDown) this.#now(this.#version, ['container runtime is down']);
    }
  }

  get #isDown(): boolean {
    if (this.#answered === undefined) return this.#parts.isRequired;
    return performance.now() - this.#answered >= this.#intervals.silence;
  }

  get #intervals(): NonNullable<HealthParts['intervals']> {
    return this.#parts.intervals ?? { first: FIRST_INTERVAL, later: INTERVAL, silence: SILENCE };
  }

  #now(version: string | undefined, problems: readonly string[]): void {
    const isSame = version === this.#version && problems.join('\n') === this.#problems.join('\n');
    this.#version = version;
    this.#problems = problems;
    if (!isSame) for (const listener of this.#listeners) listener();
  }
}

/** What a runtime has to say of itself, in the order in which 1.32 tells of it. */
const REQUIRED = [
  { type: 'RuntimeReady', words: 'container runtime not ready' },
  { type: 'NetworkReady', words: 'container runtime network not ready' },
] as const;

/** A runtime that does not say whether it is ready is not. */
function conditionProblems(conditions: readonly RuntimeCondition[]): string[] {
  return REQUIRED.flatMap(({ type, words }) => {
    const found = conditions.find((each) => each.type === type);
    if (found === undefined) return [`${words}: <nil>`];
    return found.status ? [] : [`${words}: ${type}=${found.status} reason:${found.reason} message:${found.message}`];
  });
}
