import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';

/** Milliseconds: far above what takes seconds on a machine under load, and below what the runner of the tests gives a file. */
const PATIENCE = 60_000;
/** The clock of the machine, whatever a test makes of `performance.now` later. */
const now = performance.now.bind(performance);
/** Milliseconds between two looks. */
const PAUSE = 10;

/**
 * Looks again and again until it is so, of what comes by itself and then stays.
 *
 * @param what is waited for, for the message. @throws AssertionError after a minute
 */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = now() + PATIENCE; !(await isSo()); await sleep(PAUSE))
    assert.ok(now() < end, `${what}: that has not come within ${PATIENCE / 1_000} s`);
}
