import { once } from 'node:events';
import type { Server } from 'node:net';

/** Connections that may wait to be accepted. */
const BACKLOG = 4_096;

/** @param port 0 takes a free one. @throws Error that says which flag is to be changed, for an address or a port that cannot be listened on */
export async function bind(server: Server, address: string, port: number): Promise<void> {
  server.listen({ host: address, port, backlog: BACKLOG });
  try {
    await once(server, 'listening');
  } catch (error) {
    const problem = explain((error as NodeJS.ErrnoException).code, address, port);
    throw problem === undefined ? error : new Error(problem, { cause: error });
  }
}

function explain(code: string | undefined, address: string, port: number): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${address} is in use by another program; --secure-port chooses another`;
    case 'EACCES':
      return `this user may not listen on port ${port}; --secure-port chooses another`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--bind-address: ${address} is no address of this machine`;
    default:
      return undefined;
  }
}
