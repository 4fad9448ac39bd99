/**
 * Serves the paths below /debug at a Unix socket of this machine, so that they can be reached even when the server accepts no connections.
 * Whoever may open the socket acts as an administrator.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { createApp } from '../chain/chain.ts';
import type { ChainParts } from '../chain/chain-parts.ts';
import type { User } from '../contract/request-context.ts';

export interface DebugSocketParts extends Required<Pick<ChainParts, 'server' | 'requestTimeout' | 'debugging'>> {
  /** value of --debug-socket-path */
  readonly path: string;
  /** the user that all requests of the socket act as */
  readonly user: User;
}

/** Only the user of this process may open the socket. */
const MODE = 0o600;
const NOT_FOUND = 404;

/**
 * @returns a function that closes the socket.
 * @throws Error that names the flag if another program serves the socket, or none can be made
 */
export async function serveDebugSocket({ path, user, ...parts }: DebugSocketParts): Promise<() => Promise<void>> {
  const answer = createApp({
    ...parts,
    authenticator: { authenticate: () => user },
    authorized: true,
    health: { of: () => [] },
  }).callback();
  const listener: RequestListener = (request, response) => {
    if (request.url?.startsWith('/debug/')) return void answer(request, response);
    response.writeHead(NOT_FOUND, { 'content-type': 'text/plain; charset=utf-8' }).end('Only what is below /debug/ is served here.\n');
  };
  if (await isServed(path)) throw new Error(`--debug-socket-path: another program serves ${path}`);
  const server = createServer(listener);
  try {
    // a killed server leaves its socket behind; a file that is no socket belongs to somebody else and stays
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
    await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(path, resolve));
    chmodSync(path, MODE);
  } catch (error) {
    server.close();
    throw new Error(`--debug-socket-path: ${(error as Error).message}`, { cause: error });
  }
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
