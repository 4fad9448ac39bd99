/** The same requests to two servers, and what they answer without what is never the same twice. */
import { Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import type { TestServer } from '../../harness/server.ts';

/** One request of a conversation: a name for people, a method, a path, and what is sent. */
export interface Request {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly warning: unknown;
  readonly body: unknown;
}

/** Requests one after the other. @returns answers by the names of the requests */
export async function converse(server: TestServer, requests: readonly Request[]): Promise<Map<string, Answered>> {
  const client = new Client(server);
  const answers = new Map<string, Answered>();
  for (const { name, method, path, body, headers } of requests) {
    const answer = await client.request(method, path, { ...(body !== undefined && { body }), ...(headers && { headers }) });
    answers.set(name, { status: answer.status, warning: answer.headers.warning, body: steady(answer.body ?? answer.text) });
  }
  return answers;
}

/** Members that differ from one server to the next, or from one second to the next. */
const UNSTEADY = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'continue']);

/** In a table. */
const AGE = /^\d+s$/;

function steady(value: Json): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value === 'string' && AGE.test(value)) return '*';
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, UNSTEADY.has(key) ? '*' : steady(member)]));
}

/** Defines a custom resource, and waits until it is served. @throws Error where it is not */
export async function define(server: TestServer, definition: Json): Promise<void> {
  const client = new Client(server);
  const made = await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  if (made.status !== 201) throw new Error(made.text);
  const { group, names, versions } = definition.spec;
  const list = `/apis/${group}/${versions[0].name}/${names.plural}`;
  await eventually(`${names.plural} are served`, async () => (await client.get(list)).status === 200);
}
