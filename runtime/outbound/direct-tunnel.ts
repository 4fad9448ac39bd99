/** The way to a server that needs no tunnel, where the port that it leads to is only known when a connection is made. */
import { connect } from 'node:net';
import type { Tunnel } from '../client/transport/tunnel.ts';

export const directTunnel: Tunnel = ({ host, port }, signal) => {
  const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof connect>>();
  const socket = connect({ host, port, noDelay: true });
  // destroys the socket even where an error comes with it, so that nothing is left
  const giveUp = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', giveUp);
  socket.once('error', reject);
  socket.once('connect', () => {
    socket.off('error', reject);
    resolve(socket);
  });
  if (signal.aborted) giveUp();
  const end = (): void => signal.removeEventListener('abort', giveUp);
  promise.then(end, end);
  return promise;
};
