/** Servers inside of this process that have the API of an earlier release. */
import type { ServerOptions } from '../../../runtime/embedded/start-server.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of any kind
  readonly body: any;
  /** texts of the Warning headers */
  readonly warnings: readonly string[];
}

export interface EmulatingServer {
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  stop(): Promise<void>;
}

/** All releases that a server can have the API of, oldest first. */
export const releases: readonly string[] = Array.from({ length: 17 }, (_, index) => `1.${16 + index}`);

export async function startAt(release: string, options: ServerOptions = {}): Promise<EmulatingServer> {
  const { flags, ...others } = options;
  const server = await startServer({ dialect: 'kubernetes', log: false, ...others, flags: { 'emulated-release': release, ...flags } });
  return {
    async call(method, path, body, headers = {}) {
      const response = await server.client.fetch(path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const warnings = [...(response.headers.get('warning') ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
      return {
        status: response.status,
        body: parsed(text),
        warnings: warnings.map(([, warning]) => (warning as string).replace(/\\(.)/g, '$1')),
      };
    },
    stop: () => server.stop(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param use of a server, which is stopped afterwards */
export async function withServer<T>(release: string, options: ServerOptions, use: (server: EmulatingServer) => Promise<T>): Promise<T> {
  const server = await startAt(release, options);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** A resource as discovery lists it. */
export interface ListedResource {
  readonly group: string;
  readonly version: string;
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Every resource and subresource that a server lists. */
export async function listedResources({ call }: EmulatingServer): Promise<ListedResource[]> {
  const { body: groups } = await call('GET', '/apis');
  const versions = [{ group: '', version: 'v1' }];
  for (const { name, versions: named } of groups.groups) for (const { version } of named) versions.push({ group: name, version });
  const lists = versions.map(async ({ group, version }) => {
    const { status, body } = await call('GET', group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    // an APIService leads to a server that is not there
    if (status === 503) return [];
    return (body.resources as ListedResource[]).map((each) => ({ ...each, group, version }));
  });
  return (await Promise.all(lists)).flat();
}
