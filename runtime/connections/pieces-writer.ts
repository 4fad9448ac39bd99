/** Sends a body in pieces at the pace of the client, through two buffers that take turns: however long it is, nothing more is allocated. */
import type { Writable } from 'node:stream';
import type { BodyPieces } from './body-pieces.ts';

/** Bytes of a buffer. TLS takes a millisecond for a megabyte or two, in one turn. */
const BUFFER = 64 * 1024;

/**
 * Ends the stream behind the last byte. Nothing more is written once the stream has failed or was destroyed.
 * @param given is told of bytes that the stream gets; they are valid during the call
 */
export function writePieces(stream: Writable, pieces: BodyPieces, given: (bytes: Buffer) => void): void {
  const reader = pieces.reader();
  let left = pieces.length;
  if (left === 0) stream.end();
  const write = (buffer: Buffer): void => {
    if (left === 0) return;
    const filled = reader.fill(buffer);
    left -= filled;
    const bytes = filled === buffer.length ? buffer : buffer.subarray(0, filled);
    given(bytes);
    // the stream may hold on to the bytes until it says that it has taken them
    stream.write(bytes, (error) => {
      if (!error && !stream.destroyed) write(buffer);
    });
    if (left === 0) stream.end();
  };
  for (let i = 0; i < 2 && left > 0; i++) write(Buffer.allocUnsafeSlow(Math.min(BUFFER, left)));
}
