/** Where the events of one watch go: an answer that goes on, or the messages of a WebSocket. */
import type { ServerResponse } from 'node:http';
import { beginChunks, endChunks } from './chunked-coding.ts';
import { whenClientGone } from './client-gone.ts';
import { Frame } from './watch-frame.ts';

export interface EventSink {
  /** bytes that the connection has not taken yet */
  readonly buffered: number;
  /** @param frames at least one */
  write(frames: readonly Frame[]): void;
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
  const chunked = beginChunks(response);
  return {
    get buffered() {
      return response.writableLength;
    },
    write(frames) {
      const frame = Frame.joined(frames);
      response.write(chunked ? frame.chunk : frame.bytes);
    },
    onDrain: (listener) => void response.on('drain', listener),
    onClose(listener) {
      whenClientGone(response, listener);
      // without a listener it would end the process
      response.on('error', () => {});
    },
    end: () => endChunks(response, chunked),
    destroy: () => void response.destroy(),
  };
}
