/** Trying again what another server could not do just now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExchangeAnswer, ExchangeError, ExchangeTimeout } from './exchange.ts';

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

/** How often another server may ask for one more attempt, as in 1.32. */
const MOST_ASKED = 10;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

/**
 * Repeats an exchange as often as the other server asks for it: that of a 429 or an error of the server with seconds in `Retry-After`.
 * @param attempt takes milliseconds at most
 * @param timeout milliseconds for all attempts and what is waited between them
 * @throws ExchangeTimeout, and what attempts throw; the reason of the signal
 */
export async function repeatedWhenAsked(
  attempt: (timeout: number) => Promise<ExchangeAnswer>,
  timeout: number,
  signal?: AbortSignal,
): Promise<ExchangeAnswer> {
  const end = performance.now() + timeout;
  let left = timeout;
  for (let asked = 0; ; asked++) {
    const answer = await attempt(left);
    const wait = askedWait(answer);
    if (wait === undefined || asked === MOST_ASKED) return answer;
    const rest = end - performance.now();
    if (wait > 0) await pause(Math.max(0, Math.min(wait, rest)), signal);
    left = Math.ceil(end - performance.now());
    // a timer may end a little before its time, and who asks later than anybody waits is not asked again in what is left then
    if (wait >= rest || left <= 0) throw new ExchangeTimeout(`no answer but to ask later in ${timeout} ms`);
  }
}

/** Milliseconds that another server wants nobody to ask again in; undefined where it wants nothing. */
function askedWait({ status, headers }: ExchangeAnswer): number | undefined {
  if (status !== TOO_MANY && status < SERVER_ERROR) return undefined;
  const seconds = headers['retry-after'];
  return seconds !== undefined && /^[+-]?\d{1,9}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

async function pause(time: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(time, undefined, { ref: false, ...(signal && { signal }) });
  } catch {
    throw signal?.reason;
  }
}

function mayBeRepeated({ status, headers }: ExchangeAnswer): boolean {
  return REPEATED.has(status) || headers['retry-after'] !== undefined;
}

const REPEATED: ReadonlySet<number> = new Set([429, 500, 504]);

const wasReset = ({ cause }: ExchangeError): boolean => (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET';
