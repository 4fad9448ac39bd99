/** Turns of long work for a request, which ends where nobody waits for its answer. */
import { turn } from '../registry/event-loop-turns.ts';
import type { ClientRequest } from './client-request.ts';

/** Lets others have their turn. @throws StatusError, which nobody gets, where nobody waits for the answer */
export async function nextTurn(client: ClientRequest): Promise<void> {
  await turn();
  client.throwIfNobodyWaits();
}
