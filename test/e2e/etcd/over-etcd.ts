/** Servers whose store is an etcd of the test's own, and what stands in that. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { EtcdClient } from '../../../runtime/storage/etcd/client/etcd-client.ts';
import { type Answer, Client, type Json } from '../../harness/client.ts';
import type { Etcd } from '../../harness/etcd.ts';
import { type ServerOptions, startServer, type TestServer } from '../../harness/server.ts';
import type { Watch } from '../../harness/watch.ts';

export const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';

/** A server and the administrator's requests to it. */
export interface ServerOver {
  readonly server: TestServer;
  readonly client: Client;
}

/** Nothing here makes the service accounts that the plugin asks for. */
export const overEtcd = (etcd: Pick<Etcd, 'address'>, flags: readonly string[] = []): readonly string[] => [
  `--etcd-servers=${etcd.address}`,
  '--disable-admission-plugins=ServiceAccount',
  ...flags,
];

/** @param flags besides the address of etcd */
export async function startOver(
  etcd: Pick<Etcd, 'address'>,
  flags: readonly string[] = [],
  options: Partial<ServerOptions> = {},
): Promise<ServerOver> {
  const server = await startServer({ dialect: 'kubernetes', ...options, flags: overEtcd(etcd, flags) });
  return { server, client: new Client(server) };
}

export async function stopAll(etcd: Etcd, ...servers: readonly (ServerOver | undefined)[]): Promise<void> {
  await Promise.all(
    servers.map((each) => {
      each?.client.close();
      return each?.server.stop();
    }),
  );
  await etcd.stop();
}

export interface FoundValue {
  readonly value: Buffer;
  readonly modRevision: number;
}

/** @returns what etcd has under a key; undefined: nothing */
export async function valueAt(client: EtcdClient, key: string): Promise<FoundValue | undefined> {
  return (await client.range({ key })).kvs[0];
}

/** @returns the keys that begin with a text */
export async function keysBelow(client: EtcdClient, start: string): Promise<string[]> {
  const { kvs } = await client.range({ key: start, end: `${start}\u{10ffff}`, keysOnly: true });
  return kvs.map(({ key }) => key.toString());
}

/** Puts a value as another server of the same etcd would. @returns its revision */
export async function putValue(client: EtcdClient, key: string, value: Uint8Array): Promise<number> {
  const { revision } = await client.transaction({ compare: [], success: [{ op: 'put', key, value }], failure: [] });
  return revision;
}

/** @throws Error for an answer with another status */
export async function answered(status: number, asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  assert.is(answer.status, status, answer.text);
  return answer.body;
}

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}): object => ({ metadata: { name }, data });

/** @returns `TYPE NAME` of the next events of a watch */
export async function nextEvents(watch: Watch, count: number): Promise<string[]> {
  const events: string[] = [];
  while (events.length < count) {
    const { type, object } = await watch.next();
    events.push(`${type} ${object.metadata.name}`);
  }
  return events;
}

/** Waits until something holds, for a minute by default. @throws Error by what was asked last where it does not come to that */
export async function eventually<T>(ask: () => Promise<T>, holds: (found: T) => boolean, milliseconds = 60_000): Promise<T> {
  for (const until = Date.now() + milliseconds; ; await sleep(50)) {
    const found = await ask();
    if (holds(found)) return found;
    if (Date.now() > until) throw new Error(`it does not come to that: ${JSON.stringify(found)}`);
  }
}
