/** Sends a log as messages of a WebSocket, for clients in browsers. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { type WebSocket, WebSocketServer } from 'ws';
import { type OpenWebSocket, switchTo } from '../connections/web-socket.ts';

const BINARY = 'binary.${groupDomain}';
const BASE64 = 'base64.binary.${groupDomain}';
/** Most bytes of a client's message. Clients have no reason to send any. */
const MAX_PAYLOAD = 1024;
const NORMAL = 1000;

/**
 * Switches the client's connection to one of the protocols that it offers, and sends the log as it comes, behind an empty message.
 * @param text resolves identity placeholders
 */
export function relayMessages(context: Context, log: IncomingMessage, text: (template: string) => string): void {
  const known = [text(BINARY), text(BASE64)];
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD,
    handleProtocols: (offered) => [...offered].find((protocol) => known.includes(protocol)) ?? false,
  });
  const opened = ({ webSocket: client }: OpenWebSocket): void => {
    client.on('error', () => log.destroy());
    send(client, log, client.protocol === text(BASE64)).then(
      () => client.close(NORMAL),
      () => client.terminate(),
    );
  };
  const socket = switchTo(sockets, context, opened, known);
  // If the handshake fails, nobody reads the log.
  socket.once('close', () => log.destroy());
}

/** Sends each chunk as one message, and reads on when that message has left. */
async function send(client: WebSocket, log: IncomingMessage, base64: boolean): Promise<void> {
  const message = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) =>
      client.send(base64 ? bytes.toString('base64') : bytes, { binary: !base64 }, (error) => (error ? reject(error) : resolve())),
    );
  await message(Buffer.alloc(0));
  for await (const chunk of log) await message(chunk);
}
