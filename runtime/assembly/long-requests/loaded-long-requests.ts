/** Sends long requests to a thread of their own. The code and the thread are loaded with the first such request. */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { LongRequests } from '../../endpoints/long-body.ts';
import type { FollowedFile } from '../../files/followed-files.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ServerCredentials } from '../setup/server-credentials.ts';
import type { Setup } from '../setup/setup.ts';
import type { LongRequestOptions, ThreadedRequests } from './long-requests.ts';

interface Hearing extends Pick<LongRequestOptions, 'counted' | 'takePort'> {
  /** is called when the thread starts */
  readonly externalAddress: () => string;
}

/**
 * @param storage the storage that the thread reads and writes
 */
export function longRequestsOf(
  storage: Storage,
  setup: Setup,
  { certificates, ...credentials }: ServerCredentials,
  { externalAddress, counted, takePort }: Hearing,
): LongRequests & { close(): Promise<void> } {
  let loaded: Promise<ThreadedRequests> | undefined;
  const renewal: FollowedFile = {
    async readAgain() {
      (await loaded)?.renew();
      return 'same';
    },
  };
  const load = async (): Promise<ThreadedRequests> => {
    // Receiving a long body, loading the modules and starting the thread each take milliseconds, so other work gets a turn in between.
    await nextRound();
    const { ThreadedRequests } = await import('./long-requests.ts');
    await nextRound();
    const { parsed, identity, administratorToken, definitions } = setup;
    const { reread: _reread, renew: _renew, ...plain } = certificates;
    const data = () => ({
      dialect: identity.dialect,
      parsed,
      ...(administratorToken !== undefined && { administratorToken }),
      ...(definitions && { definitions }),
      credentials: { ...credentials, certificates: plain },
      externalAddress: externalAddress(),
    });
    setup.followedFiles.add(renewal);
    const { log, giveBackMemory: rested } = setup;
    return new ThreadedRequests({ storage, log, data, counted, takePort, ...(rested && { rested }) });
  };
  return {
    async answer(client, context, body) {
      loaded ??= load();
      return (await loaded).answer(client, context, body);
    },
    async send(request) {
      loaded ??= load();
      return (await loaded).send(request);
    },
    async form(order, waiting) {
      loaded ??= load();
      return (await loaded).form(order, waiting);
    },
    async close() {
      setup.followedFiles.remove(renewal);
      await (await loaded)?.close();
    },
  };
}
