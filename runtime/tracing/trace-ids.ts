/** Identities of traces and of spans: random, never zero (W3C Trace Context section 3.2.2). A trace's own says whether it is recorded. */
import { randomFillSync } from 'node:crypto';

export const TRACE_BYTES = 16;
export const SPAN_BYTES = 8;
/** The half of a trace's identity that decides. */
const DECIDING = 8;
const MILLION = 1_000_000;

/** Bytes that are taken from the system at once: a call for each identity would cost more than all else about it. */
const POOL_BYTES = 8 * 1024;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/** @returns where so many random bytes stand in the pool, which nobody else gets */
function take(bytes: number): number {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return used - bytes;
}

/** @returns memory of its own */
export function randomSpanId(): Buffer {
  return notZero(() => Buffer.from(pool.subarray(take(SPAN_BYTES), used)));
}

function notZero(make: () => Buffer): Buffer {
  for (;;) {
    const id = make();
    if (id.readUInt32BE() !== 0 || id.some((byte) => byte !== 0)) return id;
  }
}

/**
 * Chooses the traces that are recorded by their identities, as the sampler TraceIdRatioBased of OpenTelemetry does: whoever else chooses by the same ratio
 * chooses the same ones.
 */
export class TraceIds {
  readonly #ratio: number;

  /** @param perMillion how many of a million traces are recorded, from 0 to 1,000,000 */
  constructor(perMillion: number) {
    this.#ratio = perMillion / MILLION;
  }

  /**
   * Throws the dice for a trace, of which nothing is secret: each request pays for it.
   * @returns the identity of one that is recorded; undefined for one that is not, for which nothing is made
   */
  draw(): Buffer | undefined {
    return Math.random() < this.#ratio ? idBetween(0, this.#ratio) : undefined;
  }

  /** The identity of a trace that is not recorded, of which there are some where the ratio is less than one. */
  unrecorded(): Buffer {
    return idBetween(this.#ratio, 1);
  }

  /** Whether a trace of this identity is recorded. */
  records(traceId: Buffer): boolean {
    return fractionAt(traceId, DECIDING) < this.#ratio;
  }
}

/** A random identity whose deciding half is from the first number on, and below the second one. */
function idBetween(from: number, to: number): Buffer {
  return notZero(() => {
    const id = Buffer.from(pool.subarray(take(TRACE_BYTES), used));
    const lowest = Math.ceil(from * 2 ** 53);
    const high = lowest + Math.floor((Math.ceil(to * 2 ** 53) - lowest) * fractionAt(id, DECIDING));
    // the last eleven bits stay as they were drawn
    const low = id.readUInt16BE(TRACE_BYTES - 2) & 0x7ff;
    id.writeBigUInt64BE((BigInt(Math.min(high, 2 ** 53 - 1)) << 11n) | BigInt(low), DECIDING);
    return id;
  });
}

/** What the 64 bits there are of all that they could be, from 0 up to 1. */
function fractionAt(bytes: Buffer, start: number): number {
  return (bytes.readUInt32BE(start) * 2 ** 32 + bytes.readUInt32BE(start + 4)) / 2 ** 64;
}
