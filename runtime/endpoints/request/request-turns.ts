/** Turns of long work for a request, which ends where nobody waits for its answer. */
import { turn } from '../../event-loop/turns.ts';
import type { ClientRequest } from './client-request.ts';

/** Lets others have their turn: requests that wait for seats, by their shares, then what else is under way here. @throws StatusError, which nobody gets, where nobody waits for the answer */
export async function nextTurn(client: ClientRequest): Promise<void> {
  await client.giveWay();
  await turn();
  client.turn?.started();
  client.throwIfOver();
}
