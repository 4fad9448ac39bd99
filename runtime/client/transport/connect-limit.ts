/** Ends connections that are not established in time, for example because a proxy or tunnel accepts them and then stays silent. */
import type http from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Milliseconds for TCP and the TLS handshake. Without a limit, systems wait for minutes for the first and for ever for the second. */
const LIMIT = 30_000;

/** @param socket that is connecting */
export function limitConnecting<T extends Duplex>(socket: T): T {
  const late = (): unknown => socket.destroy(Object.assign(new Error(`no connection in ${LIMIT / 1_000} seconds`), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(late, LIMIT).unref();
  const end = (): void => clearTimeout(timer);
  socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', end);
  socket.once('close', end);
  return socket;
}

/** Limits all connections of an agent that creates its sockets synchronously. */
export function limitAgent<T extends http.Agent>(agent: T): T {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (options, created) => {
    const socket = create(options, created) as Socket | undefined;
    return socket && limitConnecting(socket);
  };
  return agent;
}
