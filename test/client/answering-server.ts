/** A server that answers requests one after the other as a test says, and a client of it. */
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../../generated/client/index.ts';
import type { Client } from '../../runtime/client/resources/client.ts';

export interface AnsweringServer extends AsyncDisposable {
  readonly client: Client;
  readonly port: number;
  /** such as `GET /api/v1/nodes/x` */
  readonly asked: string[];
}

/** @param answer gets how many requests there were before */
export async function answeringServer(
  answer: (response: ServerResponse, count: number, request: IncomingMessage) => unknown,
): Promise<AnsweringServer> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(response, asked.length - 1, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ server: `http://127.0.0.1:${port}` }, { dialect: 'kubernetes' });
  const end = async (): Promise<void> => {
    await client.close();
    server.closeAllConnections();
    server.close();
  };
  return { client, port, asked, [Symbol.asyncDispose]: end };
}
