/** Servers inside of a test's process, and what tests of them store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedServer, type ServerOptions, startServer } from '../../runtime/embedded/start-server.ts';

/** A new folder, which goes with the process. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'embedded-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a server, and stops it when `use` has ended. */
export async function using<T>(options: ServerOptions, use: (server: EmbeddedServer) => Promise<T>): Promise<T> {
  const server = await startServer(options);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** Names of the objects of a collection. */
export const names = async ({ client }: EmbeddedServer, path: string): Promise<string[]> =>
  (await client.request('GET', path)).items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

export const MAPS = '/api/v1/namespaces/default/configmaps';
/** A config map, or another object that needs only a name. */
export const map = (name: string): object => ({ metadata: { name } });
