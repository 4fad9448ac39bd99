/** Where the events of one watch go: an answer that goes on, or the messages of a WebSocket. */
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { beginChunks, endChunks } from '../connections/chunked-coding.ts';
import { whenClientGone } from '../connections/client-gone.ts';
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
  const connection = connectionOf(response, chunked);
  return {
    get buffered() {
      return connection.writableLength;
    },
    write(frames) {
      // the connection may carry the next answer by then
      if (response.writableEnded) return;
      const frame = Frame.joined(frames);
      connection.write(chunked ? frame.chunk : frame.bytes);
    },
    onDrain(listener) {
      connection.on('drain', listener);
      response.once('close', () => connection.off('drain', listener));
    },
    onClose(listener) {
      whenClientGone(response, listener);
      // without a listener it would end the process
      response.on('error', () => {});
    },
    end: () => endChunks(response, chunked),
    destroy: () => void response.destroy(),
  };
}

/** Where events are written to: past the response where they are chunks already, for its layers take a tenth of the time of a write. */
function connectionOf(response: ServerResponse, chunked: boolean): Writable {
  return (chunked ? response.socket : null) ?? response;
}
