/**
 * Secrets that a key management service decrypts while nobody stops: who asks for one that is asked for already waits for the same answer, and few are asked for at
 * once, for a store may hold as many as it has values.
 */
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';

/** Calls at once. */
const MOST_AT_ONCE = 16;
/** Milliseconds in which what has failed is not asked again. */
const FAILURE_LIFETIME = 1_000;
/** Failures that are remembered. */
const MOST_FAILURES = 1_000;
/** Codes of a service that answers nobody: others are not asked for meanwhile either. */
const ABSENCES = ['Unavailable', 'DeadlineExceeded'];

interface Failure {
  readonly error: Error;
  /** of `performance.now()` */
  readonly until: number;
}

export class AskedSecrets {
  /** by name */
  readonly #asked = new Map<string, Promise<Buffer>>();
  readonly #failures = new Map<string, Failure>();
  /** the last one that holds for all */
  #absence: Failure | undefined;
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];
  #hasFailed = false;

  /** @param name tells the secret from all others. @param ask the service. @throws what `ask` throws, as it did within the last second */
  get(name: string, ask: () => Promise<Buffer>): Promise<Buffer> {
    const asked = this.#asked.get(name) ?? this.#inTurn(name, ask).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asked);
    return asked;
  }

  /** Whether anything has failed since this was asked last. */
  takeFailed(): boolean {
    const hasFailed = this.#hasFailed;
    this.#hasFailed = false;
    return hasFailed;
  }

  async #inTurn(name: string, ask: () => Promise<Buffer>): Promise<Buffer> {
    if (this.#underWay >= MOST_AT_ONCE) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#underWay++;
    try {
      const failure = [this.#failures.get(name), this.#absence].find((each) => each !== undefined && each.until > performance.now());
      if (failure !== undefined) throw failure.error;
      return await ask().catch((error: Error) => {
        this.#remember(name, error);
        throw error;
      });
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay--;
      else next();
    }
  }

  #remember(name: string, error: Error): void {
    const failure = { error, until: performance.now() + FAILURE_LIFETIME };
    if (ABSENCES.includes(grpcStatusOf(error))) this.#absence = failure;
    else {
      if (this.#failures.size >= MOST_FAILURES) this.#failures.clear();
      this.#failures.set(name, failure);
    }
  }
}
