/**
 * Secrets that a key management service decrypts while the thread goes on. Concurrent requests for the same secret share one call, and few
 * calls run at once, because a store may hold as many secrets as values.
 */
import { grpcStatusOf } from '../../storage/encryption/transformation-counts.ts';

/** Calls that run at once. */
const MOST_AT_ONCE = 16;
/** Milliseconds for which a failed call is not repeated. */
const FAILURE_LIFETIME = 1_000;
/** Failures that are remembered. All of them are forgotten when there would be more. */
const MOST_FAILURES = 1_000;
/** Statuses of gRPC that mean that the service answers nobody. No secret is asked for then until the failure expires. */
const ABSENCES = ['Unavailable', 'DeadlineExceeded'];

interface Failure {
  readonly error: Error;
  /** by `performance.now()` */
  readonly until: number;
}

export class AskedSecrets {
  /** calls under way, by name */
  readonly #asked = new Map<string, Promise<Buffer>>();
  readonly #failures = new Map<string, Failure>();
  /** the last failure that concerns all secrets */
  #absence: Failure | undefined;
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];
  #hasFailed = false;

  /**
   * @param name identifies the secret.
   * @param ask calls the service.
   * @throws what `ask` throws, or what it has thrown within the last second
   */
  get(name: string, ask: () => Promise<Buffer>): Promise<Buffer> {
    const asked = this.#asked.get(name) ?? this.#inTurn(name, ask).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asked);
    return asked;
  }

  /** Whether a call has failed since this method was called last. */
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
