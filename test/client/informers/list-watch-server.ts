/** A server of one resource whose answers a test gives. */
import { once } from 'node:events';
import http, { type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../../generated/client/index.ts';
import type { Client } from '../../../runtime/client/resources/client.ts';

export interface Asked {
  readonly kind: 'list' | 'watch' | 'stream';
  readonly query: URLSearchParams;
}

export type Answers = (asked: Asked, response: ServerResponse, count: number) => unknown;

export interface ListWatchServer {
  readonly client: Client;
  /** such as `list`, `watch 5`, `stream`, in the order in which they came */
  readonly asked: string[];
  close(): void;
}

/** @param answers gets how many requests of its kind there were before */
export async function listWatchServer(answers: Answers): Promise<ListWatchServer> {
  const asked: string[] = [];
  const counts = { list: 0, watch: 0, stream: 0 };
  const server = http.createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    const kind = !query.has('watch') ? 'list' : query.has('sendInitialEvents') ? 'stream' : 'watch';
    const what = [kind, query.get('continue') ?? (kind === 'watch' ? query.get('resourceVersion') : null)];
    asked.push(what.filter((part) => part !== null).join(' '));
    answers({ kind, query }, response, counts[kind]++);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, { dialect: 'kubernetes' });
  return {
    client,
    asked,
    close() {
      client.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @param version also of what is in it; `a1` and `a2` are versions of one object, `a!` is another one of its name */
export function map(name: string, version: string, uid = name): object {
  return { metadata: { name, namespace: 'n', uid, resourceVersion: version }, data: { version } };
}

export function event(type: string, name: string, version: string, uid?: string): string {
  return `${JSON.stringify({ type, object: { kind: 'ConfigMap', apiVersion: 'v1', ...map(name, version, uid) } })}\n`;
}

export function bookmark(version: string, isEnd = false): string {
  const annotations = isEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
  return `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: version, annotations } } })}\n`;
}

export function list(version: string, items: readonly object[], next?: string): string {
  return JSON.stringify({
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: version, ...(next && { continue: next }) },
    items,
  });
}

export function refusal(response: ServerResponse, code: number, reason: string): void {
  response.writeHead(code).end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason }));
}

export const gone = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' } })}\n`;
