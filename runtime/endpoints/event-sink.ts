/** Where the events of one watch go: an answer that goes on, or the messages of a WebSocket. */
import type { ServerResponse } from 'node:http';

export interface EventSink {
  /** bytes that the connection has not taken yet */
  readonly buffered: number;
  write(frame: Buffer): void;
  /** Calls `listener` each time when all that was buffered is gone. */
  onDrain(listener: () => void): void;
  /** Calls `listener` once when the client is gone or the end is out; `write` does nothing from then on. */
  onClose(listener: () => void): void;
  /** Ends the stream behind what is buffered. */
  end(): void;
  /** Ends the connection, or its part of it, without what is buffered. */
  destroy(): void;
}

/** Begins an answer with status 200. */
export function responseSink(response: ServerResponse, contentType: string): EventSink {
  response.statusCode = 200;
  response.setHeader('content-type', contentType);
  response.setHeader('cache-control', 'no-cache, private');
  response.flushHeaders();
  return {
    get buffered() {
      return response.writableLength;
    },
    write: (frame) => void response.write(frame),
    onDrain: (listener) => void response.on('drain', listener),
    onClose(listener) {
      if (response.closed) listener();
      else response.once('close', listener);
      // without a listener it would end the process
      response.on('error', () => {});
    },
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  };
}
