/** Connections without TLS. */
import type { Socket } from 'node:net';
import { HeldCredentials } from './held-credentials.ts';

export class PlainCredentials extends HeldCredentials {
  constructor() {
    super(false);
  }

  protected override connect(socket: Socket): Promise<Socket> {
    return Promise.resolve(socket);
  }
}
