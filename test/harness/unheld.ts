/** Whether others wait for what a user does. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Client } from './client.ts';
import type { TestServer } from './server.ts';
import { assertShortTurns, REPEATED } from './turns.ts';

export const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

/**
 * No turn of the serving thread takes long meanwhile, and another user's requests are answered.
 * @param other asks for the config map `seen`, which must be there
 * @param action may be done again
 */
export function assertUnheld(server: TestServer, other: Client, action: (attempt: number) => Promise<void>): Promise<void> {
  const watched = async (attempt: number) => {
    let ended = false;
    const asking = (async () => {
      while (!ended) {
        assert.is((await other.get('/readyz')).status, 200);
        assert.is((await other.get(`${CONFIGMAPS}/seen`)).status, 200);
        await sleep(10);
      }
    })();
    try {
      await action(attempt);
    } finally {
      ended = true;
    }
    await asking;
  };
  return assertShortTurns(server, watched, REPEATED);
}
