/**
 * TLS to a member of etcd. The library's own credentials read certificates once, and name an address such as 127.0.0.1 as the name of the server, which Node refuses: here
 * each connection reads what there is, and a server that is reached by its address is told no name, though its certificate has to have the address.
 */
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { HeldCredentials } from '../../../grpc/held-credentials.ts';

/** PEM, or a function that gives it as it is now, such as one that reads a file. What it throws fails the connection. */
export type PemSource = string | Buffer | (() => string | Buffer);

export interface TlsSources {
  /** authorities by which members are known; those of Node where it is absent */
  readonly ca?: PemSource;
  /** what the client shows, with its key; both or none */
  readonly certificate?: PemSource;
  readonly key?: PemSource;
}

/** Milliseconds for the handshake. */
const HANDSHAKE_TIMEOUT = 10_000;

export class TlsCredentials extends HeldCredentials {
  readonly #host: string;
  readonly #sources: TlsSources;

  /** @param host name or address of the member, which its certificate has to have */
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

/** @throws Error for a server that is not the one, or does not answer */
function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect(options);
    const late = setTimeout(() => socket.destroy(new Error('the TLS handshake took too long')), HANDSHAKE_TIMEOUT);
    socket.once('secureConnect', () => {
      clearTimeout(late);
      resolve(socket);
    });
    // it stays: an error without a listener would end the process
    socket.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    socket.once('close', () => reject(new Error('the connection was closed in the TLS handshake')));
  });
}
