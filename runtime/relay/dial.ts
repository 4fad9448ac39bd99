/** Connections to other servers, with a limit of time. Errors are worded as in 1.32. */
import { isIP, connect as netConnect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { Tunnel } from '../client/transport/tunnel.ts';
import { connectionProblem, hostPort, type SystemError, tlsProblem } from '../connections/connection-problem.ts';
import { checkServerIdentity } from '../connections/server-identity.ts';

export interface Target {
  /** a name or an address, without brackets; a certificate must be for it */
  readonly host: string;
  /** where the host is, if it was looked up already: the name could lead elsewhere by now. Absent: the host is looked up */
  readonly address?: string;
  /** as the client wrote it: what is no port at all is refused when a connection is made */
  readonly port: number;
  /** absent: plain HTTP */
  readonly tls?: TargetTls;
}

export interface TargetTls {
  /** PEM: authorities by which the other side's certificate is verified; absent: it is not verified */
  readonly authority?: string | undefined;
  /** PEM: client certificate, sent when the other side asks for one; `key` (PEM) must be given with it */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** @param limit milliseconds for the connection, the handshake of TLS included. @throws DialError */
export type Dial = (target: Target, limit: number) => Promise<Duplex>;

/** Why another server was not reached. The message is for clients. */
export class DialError extends Error {
  override readonly name = 'DialError';
}

/** Milliseconds of silence before the system probes whether the peer is still there (TCP keep-alive). */
const KEEP_ALIVE_DELAY = 30_000;

const MOST_PORT = 65_535;

export const dial: Dial = dialBy(async ({ host: name, address: host = name, port }, limit) => {
  const plain = netConnect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_DELAY });
  await ready(plain, 'connect', limit, `dial tcp ${hostPort(host, port)}: i/o timeout`, (error) => connectionProblem(error, host, port));
  return plain;
});

/** Makes connections through a tunnel. */
export const dialThrough = (tunnel: Tunnel): Dial =>
  dialBy(async ({ host, address = host, port }, limit) => {
    try {
      return await tunnel({ host: address, port }, AbortSignal.timeout(limit));
    } catch (error) {
      throw new DialError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  });

function dialBy(plainly: Dial): Dial {
  return async (target, limit) => {
    const { host, tls } = target;
    if (target.port > MOST_PORT) throw new DialError(`dial tcp: address ${target.port}: invalid port`);
    const until = performance.now() + limit;
    const plain = await plainly(target, limit);
    if (tls === undefined) return plain;
    const socket = tlsConnect({ ...tlsOptions(host, tls), host, socket: plain });
    await ready(socket, 'secureConnect', until - performance.now(), 'net/http: TLS handshake timeout', tlsProblem);
    return socket;
  };
}

/** Waits for the event. @param limit milliseconds. @param late message of the error when the limit has passed. @throws DialError */
function ready(socket: Duplex, event: string, limit: number, late: string, problem: (error: SystemError) => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new DialError(message));
    };
    const timer = setTimeout(() => fail(late), Math.max(0, limit));
    // These listeners stay on the socket, but have no effect once the promise has settled. Later errors are for whoever has the socket then.
    socket.on('error', (error) => fail(problem(error)));
    socket.on('close', () => fail('EOF'));
    socket.once(event, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function tlsOptions(host: string, { authority, certificate, key }: TargetTls) {
  return {
    minVersion: 'TLSv1.2' as const,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: authority !== undefined,
    checkServerIdentity,
    ...(authority !== undefined && { ca: authority }),
    ...(certificate !== undefined && { cert: certificate, key }),
    ...(isIP(host) === 0 && { servername: host }),
  };
}
