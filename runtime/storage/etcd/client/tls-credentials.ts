/**
 * TLS to a member of etcd. The library's own credentials read certificates only once, and send an address such as 127.0.0.1 as the server's name, which
 * Node refuses. Here each connection reads the current certificates, and no name is sent to an address, although the certificate must contain it.
 */
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { HeldCredentials } from '../../../grpc/held-credentials.ts';

/** PEM, or a function that returns the current PEM, for example from a file. If it throws, the connection fails with that error. */
export type PemSource = string | Buffer | (() => string | Buffer);

export interface TlsSources {
  /** authorities by which members are verified; absent: those of Node */
  readonly ca?: PemSource;
  /** the client's certificate; `certificate` and `key` must be given together */
  readonly certificate?: PemSource;
  readonly key?: PemSource;
}

/** The time limit for the TLS handshake, in milliseconds. */
const HANDSHAKE_TIMEOUT = 10_000;

export class TlsCredentials extends HeldCredentials {
  readonly #host: string;
  readonly #sources: TlsSources;

  /** @param host name or address that the member's certificate must have */
  constructor(host: string, sources: TlsSources) {
    super(true);
    this.#host = host;
    this.#sources = sources;
  }

  protected override async connect(socket: Socket): Promise<Socket> {
    return handshake(this.#options(socket));
  }

  /** @throws what reading certificates throws */
  #options(socket: Socket): ConnectionOptions {
    const { ca, certificate, key } = this.#sources;
    const host = this.#host;
    const [authorities, cert, privateKey] = [ca, certificate, key].map((source) => (typeof source === 'function' ? source() : source));
    if ((cert === undefined) !== (privateKey === undefined))
      throw new Error('a certificate for etcd needs its key, and a key its certificate');
    return { socket, host, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['h2'], ca: authorities, cert, key: privateKey };
  }
}

/** @throws Error if the server's certificate is not valid for it, or the server does not answer */
function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    const late = setTimeout(() => socket.destroy(new Error('the TLS handshake took too long')), HANDSHAKE_TIMEOUT);
    socket.once('secureConnect', () => {
      clearTimeout(late);
      resolve(socket);
    });
    // this listener stays, because an error without a listener would end the process
    socket.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    socket.once('close', () => reject(new Error('the connection was closed in the TLS handshake')));
  });
}
