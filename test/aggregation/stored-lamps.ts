/** Lamps in namespaces that an aggregated server of tests keeps in memory: all verbs, and deletion by finalizers, but no garbage collection. */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Json } from '../harness/client.ts';
import { type AggregatedServer, type Asked, json } from './aggregated-server.ts';
import { LAMPS, RESOURCES } from './lamp-cluster.ts';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'watch'];
const FINALIZERS: Readonly<Record<string, string>> = { Foreground: 'foregroundDeletion', Orphan: 'orphan' };
const KIND = { apiVersion: 'lamps.example/v1', kind: 'Lamp' };

export class StoredLamps {
  /** users that have changed something */
  readonly writers: string[] = [];
  /** by namespace and name */
  readonly #stored = new Map<string, Json>();
  readonly #watches = new Set<ServerResponse>();
  #version = 1;

  constructor(server: AggregatedServer) {
    const resources = [{ ...RESOURCES.resources[0], verbs: VERBS }];
    server.answers[LAMPS] = (_, response) => json(response, { ...RESOURCES, resources });
    server.answer = (_, response, asked) => this.#answer(response, asked);
  }

  #answer(response: ServerResponse, asked: Asked): void {
    const url = new URL(asked.url, 'https://lamps');
    const [, namespace, name] = /\/lamps\.example\/v1(?:\/namespaces\/([^/]+))?\/lamps(?:\/(.+))?$/.exec(url.pathname) ?? [];
    if (!url.pathname.startsWith(`${LAMPS}/`)) return refuse(response, 404);
    if (asked.method !== 'GET') this.writers.push(String(asked.headers['x-remote-user']));
    if (name === undefined && asked.method === 'POST') return this.#create(response, namespace as string, JSON.parse(asked.body));
    if (name === undefined) return this.#all(response, url.searchParams);
    const key = `${namespace}/${name}`;
    const object = this.#stored.get(key);
    if (object === undefined) return refuse(response, 404);
    if (asked.method === 'DELETE') this.#delete(key, object, asked.body === '' ? {} : JSON.parse(asked.body));
    if (asked.method === 'PATCH' && !this.#patch(key, object, JSON.parse(asked.body))) return refuse(response, 409);
    json(response, this.#stored.get(key) ?? object);
  }

  #create(response: ServerResponse, namespace: string, { metadata }: Json): void {
    const object = { ...KIND, metadata: { ...metadata, namespace, uid: randomUUID() } };
    this.#write(`${namespace}/${metadata.name}`, object, 'ADDED');
    json(response, object);
  }

  #all(response: ServerResponse, query: URLSearchParams): void {
    if (!query.has('watch'))
      return json(response, { kind: 'LampList', metadata: { resourceVersion: `${this.#version}` }, items: [...this.#stored.values()] });
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    this.#watches.add(response.once('close', () => this.#watches.delete(response)));
  }

  #delete(key: string, object: Json, { propagationPolicy = 'Background' }: Json): void {
    const finalizer = FINALIZERS[propagationPolicy];
    const finalizers = [...(object.metadata.finalizers ?? []), ...(finalizer === undefined ? [] : [finalizer])];
    const deletionTimestamp = new Date().toISOString();
    this.#write(key, { ...object, metadata: { ...object.metadata, deletionTimestamp, finalizers } }, 'MODIFIED');
  }

  /** @returns whether it is of the version that the patch names */
  #patch(key: string, object: Json, { metadata }: Json): boolean {
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== object.metadata.resourceVersion) return false;
    const merged = Object.entries({ ...object.metadata, ...metadata }).filter(([, value]) => value !== null);
    this.#write(key, { ...object, metadata: Object.fromEntries(merged) }, 'MODIFIED');
    return true;
  }

  #write(key: string, object: Json, type: string): void {
    object.metadata.resourceVersion = `${++this.#version}`;
    const isOver = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    if (isOver) this.#stored.delete(key);
    else this.#stored.set(key, object);
    for (const watch of this.#watches) watch.write(`${JSON.stringify({ type: isOver ? 'DELETED' : type, object })}\n`);
  }
}

function refuse(response: ServerResponse, code: number): void {
  const reason = code === 404 ? 'NotFound' : 'Conflict';
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code }));
}
