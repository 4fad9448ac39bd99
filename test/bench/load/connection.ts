import { connect, type TLSSocket } from 'node:tls';
import type { Target } from '../target.ts';
import { type AnswerHandlers, AnswerReader } from './answer-reader.ts';

/** One connection of HTTP/1.1 over TLS that carries one request after another. */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #reader: AnswerReader;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.#reader = new AnswerReader({ onEnd: () => {} });
    socket.on('data', (bytes: Buffer) => this.#reader.read(bytes));
  }

  /** @throws Error of the system or of TLS */
  static open(target: Target): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: target.host,
        port: target.port,
        ALPNProtocols: ['http/1.1'],
        ...(target.authority === undefined ? { rejectUnauthorized: false } : { ca: target.authority }),
      });
      socket.setNoDelay(true);
      socket.once('secureConnect', () => resolve(new Connection(socket)));
      socket.on('error', reject);
    });
  }

  /** @param request may be changed once the answer has begun */
  send(request: Buffer | string, handlers: AnswerHandlers): void {
    this.#reader.handlers = handlers;
    this.#socket.write(request);
  }

  /** The whole answer, for what is not measured. */
  exchange(request: string): Promise<{ status: number; head: string; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let head = '';
      this.onClose(() => reject(new Error('the server closed the connection')));
      this.send(request, {
        onHead: (_, text) => (head = text),
        onBody: (bytes) => parts.push(Buffer.from(bytes)),
        onEnd: (status) => resolve({ status, head, body: Buffer.concat(parts) }),
      });
    });
  }

  /** @param listener takes the place of the one before; called at once where the connection is closed already */
  onClose(listener: () => void): void {
    if (this.#socket.destroyed) return listener();
    this.#socket.removeAllListeners('close').on('close', listener);
  }

  close(): void {
    this.#socket.destroy();
  }
}

export function openConnections(target: Target, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(target)));
}
