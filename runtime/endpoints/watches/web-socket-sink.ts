/** Events as messages of a WebSocket (RFC 6455): each one a message, text as JSON, binary as protobuf and CBOR; what the client sends is ignored. */
import { once } from 'node:events';
import type { Context } from 'koa';
import { WebSocketServer } from 'ws';
import { fromOnePage, openWebSocket } from '../../connections/web-socket.ts';
import type { Encoding } from '../../negotiation/negotiation.ts';
import type { EventSink } from './event-sink.ts';
import { FRAME_LENGTH_BYTES } from './watch-event-encoder.ts';

/** Bytes of the longest message that a client may send. */
const MAX_RECEIVED = 64 * 1024;

/** The server for WebSockets. It answers with the subprotocol that a client offers, because the client may refuse an answer without one. */
const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_RECEIVED,
  handleProtocols: ([first]) => first ?? false,
});

const NORMAL_CLOSURE = 1000;

/**
 * @param encoding of protobuf messages need no length before them
 * @returns undefined where the handshake was refused, which the client has been told, or the client is gone
 */
export async function webSocketSink(context: Context, encoding: Encoding): Promise<EventSink | undefined> {
  const opened = await openWebSocket(server, context, fromOnePage);
  if (opened === undefined) return undefined;
  const { webSocket, socket } = opened;
  const isBinary = encoding === 'protobuf' || encoding === 'cbor';
  const skipped = encoding === 'protobuf' ? FRAME_LENGTH_BYTES : 0;
  // a broken frame or a lost connection: 'close' follows
  webSocket.on('error', () => {});
  return {
    get buffered() {
      return webSocket.bufferedAmount;
    },
    write(frames) {
      if (webSocket.readyState !== webSocket.OPEN) return;
      for (const { bytes } of frames) webSocket.send(bytes.subarray(skipped), { binary: isBinary });
    },
    onDrain: (listener) => void socket.on('drain', listener),
    onClose: (listener) => void once(webSocket, 'close').then(listener, listener),
    end: () => webSocket.close(NORMAL_CLOSURE),
    destroy: () => webSocket.terminate(),
  };
}
