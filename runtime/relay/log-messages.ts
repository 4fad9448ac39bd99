/** A log as messages of a WebSocket, for clients in browsers. */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { type WebSocket, WebSocketServer } from 'ws';
import { switchTo } from '../connections/web-socket.ts';

const BINARY = 'binary.${groupDomain}';
const BASE64 = 'base64.binary.${groupDomain}';
/** Bytes; clients have nothing to say. */
const MAX_PAYLOAD = 1024;
const NORMAL = 1000;

/**
 * Answers the switch, in one of the protocols that the client offers, and sends the log as it comes. An empty message says that it begins.
 * @param text resolves identity placeholders
 */
export function relayMessages(context: Context, log: IncomingMessage, text: (template: string) => string): void {
  const known = [text(BINARY), text(BASE64)];
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD,
    handleProtocols: (offered) => [...offered].find((protocol) => known.includes(protocol)) ?? false,
  });
  const socket = switchTo(sockets, context, ({ webSocket: client }) => {
    client.on('error', () => log.destroy());
    send(client, log, client.protocol === text(BASE64)).then(
      () => client.close(NORMAL),
      () => client.terminate(),
    );
  });
  // A handshake that fails leaves the log unread.
  socket.once('close', () => log.destroy());
}

/** Waits for each message to leave before it reads on. */
async function send(client: WebSocket, log: IncomingMessage, base64: boolean): Promise<void> {
  const message = (bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) =>
      client.send(base64 ? bytes.toString('base64') : bytes, { binary: !base64 }, (error) => (error ? reject(error) : resolve())),
    );
  await message(Buffer.alloc(0));
  for await (const chunk of log) await message(chunk);
}
