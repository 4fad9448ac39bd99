/** The contract for sending the events of one watch: in an answer that goes on, or as messages of a WebSocket. */
import type { Context } from 'koa';
import { answerOf } from '../../connections/client-answer.ts';
import { Frame } from '../answers/watch-frame.ts';

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
export function responseSink(context: Context, contentType: string): EventSink {
  context.res.setHeader('content-type', contentType);
  const answer = answerOf(context);
  const body = answer.stream(200);
  return {
    get buffered() {
      return body.buffered;
    },
    write: (frames) => void body.write(Frame.joined(frames)),
    onDrain: (listener) => body.onDrain(listener),
    onClose: (listener) => body.onClose(listener),
    end: () => body.end(),
    destroy: () => answer.break(),
  };
}
