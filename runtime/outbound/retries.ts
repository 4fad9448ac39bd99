/** Trying again what another server could not do just now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExchangeAnswer, ExchangeError } from './exchange.ts';

export interface Retries {
  readonly attempts: number;
  /** milliseconds before the second attempt, half as much again before each further one, give or take a fifth */
  readonly wait: number;
  /** whatever went wrong, as 1.32 does with what must not be lost; default: what is worth another attempt */
  readonly always?: boolean;
}

/** The retries of 1.32 for webhooks: after 0.5 s, 0.75 s, 1.1 s and 1.7 s. */
export const WEBHOOK_RETRIES: Retries = { attempts: 5, wait: 500 };

/**
 * Repeats an exchange whose connection was reset, or whose answer is one of those that 1.32 asks for again: 429, 500, 504, and any with `Retry-After`.
 * @param signal ends it between two attempts
 * @throws ExchangeError of the last attempt; what ends the waiting
 */
export async function withRetries(
  attempt: () => Promise<ExchangeAnswer>,
  { attempts, wait, always = false }: Retries,
  signal?: AbortSignal,
): Promise<ExchangeAnswer> {
  let pause = wait;
  for (let left = attempts; ; left--) {
    const outcome = await attempt().catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || left <= 1 || !(always || wasReset(error))) throw error;
      return undefined;
    });
    if (outcome !== undefined && (left <= 1 || !mayBeRepeated(outcome))) return outcome;
    await sleep(pause * (1 + (Math.random() - 0.5) * 0.4), undefined, { ref: false, ...(signal && { signal }) });
    pause *= 1.5;
  }
}

function mayBeRepeated({ status, headers }: ExchangeAnswer): boolean {
  return REPEATED.has(status) || headers['retry-after'] !== undefined;
}

const REPEATED: ReadonlySet<number> = new Set([429, 500, 504]);

const wasReset = ({ cause }: ExchangeError): boolean => (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
