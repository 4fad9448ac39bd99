import { once } from 'node:events';
import type { Server } from 'node:net';

/** Connections that may wait to be accepted. */
const BACKLOG = 4_096;

/** The names of the flags that tell a program where to listen, for the texts of errors. */
export interface ListenFlags {
  readonly address: string;
  readonly port: string;
}

const SERVER_FLAGS: ListenFlags = { address: '--bind-address', port: '--secure-port' };

export interface Place {
  readonly address: string;
  /** 0 takes a free one */
  readonly port: number;
  /** whether other programs that say so too may listen on the port, among which the system deals its connections (SO_REUSEPORT); default false */
  readonly sharesPort?: boolean;
}

/** @throws Error that says which flag is to be changed, for an address or a port that cannot be listened on */
export async function bind(server: Server, { address, port, sharesPort = false }: Place, flags: ListenFlags = SERVER_FLAGS): Promise<void> {
  server.listen({ host: address, port, backlog: BACKLOG, reusePort: sharesPort });
  try {
    await once(server, 'listening');
  } catch (error) {
    const problem = explain((error as NodeJS.ErrnoException).code, address, port, flags);
    throw problem === undefined ? error : new Error(problem, { cause: error });
  }
}

function explain(code: string | undefined, address: string, port: number, flags: ListenFlags): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} of ${address} is in use by another program; ${flags.port} chooses another`;
    case 'EACCES':
      return `this user may not listen on port ${port}; ${flags.port} chooses another`;
    case 'ENOTSUP':
      return 'this system has no ports that programs share: --permit-port-sharing cannot be given here';
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${flags.address}: ${address} is no address of this machine`;
    default:
      return undefined;
  }
}
