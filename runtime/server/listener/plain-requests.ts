/** Tells clients that send HTTP to this port without TLS what is wrong, in the words of 1.32: else they would see nothing but the end of the connection. */
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

const ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';
const PLAIN_REQUEST = 'ERR_SSL_HTTP_REQUEST';
/** Milliseconds for the answer to arrive, before the connection is cut. */
const LINGER = 500;

export function answerPlainRequests(server: Server): void {
  /** connections whose handshake is not over, by where they come from: what fails is told of with the encrypted side of them alone */
  const shaking = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const place = placeOf(socket);
    shaking.set(place, socket);
    socket.once('close', () => shaking.get(place) === socket && shaking.delete(place));
  });
  server.on('secureConnection', (socket) => shaking.delete(placeOf(socket)));
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const plain = shaking.get(placeOf(socket));
    if (error.code !== PLAIN_REQUEST || plain === undefined) return;
    plain.end(ANSWER);
    const timer = setTimeout(() => plain.destroy(), LINGER).unref();
    plain.once('close', () => clearTimeout(timer));
  });
}

const placeOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
