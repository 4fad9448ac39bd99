/** A call of a gRPC interface that failed. */
import { status } from '@grpc/grpc-js';

/** Names of the codes of gRPC that callers tell apart. */
export type InterfaceErrorCode = keyof typeof status;

export class InterfaceError extends Error {
  override readonly name = 'InterfaceError';
  readonly code: InterfaceErrorCode;

  readonly details: string;

  /** @param details the message of the other side */
  constructor(code: InterfaceErrorCode, details: string) {
    super(`rpc error: code = ${codeText(code)} desc = ${details}`);
    this.code = code;
    this.details = details;
  }

  /** Makes one of an error that a call of the library threw. */
  static of(error: unknown): InterfaceError {
    if (error instanceof InterfaceError) return error;
    const { code, details, message = String(error) } = error as { code?: unknown; details?: unknown; message?: string };
    if (isUnreadable(error)) return new InterfaceError('INTERNAL', 'the answer is compressed in a way that is not read here');
    const known = typeof code === 'number' ? (status[code] as InterfaceErrorCode | undefined) : undefined;
    if (typeof details === 'string' && details !== '') return new InterfaceError(known ?? 'UNKNOWN', details);
    const isOther = typeof code === 'number' && known === undefined;
    return new InterfaceError(known ?? 'UNKNOWN', isOther ? `the code ${code} is none of gRPC` : message);
  }
}

/** The library makes an error of an answer that it cannot decompress, and puts neither a code nor a text into it. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === undefined && 'details' in error && error.details === undefined;

/** The name of a code in Go's spelling, which people know: `DEADLINE_EXCEEDED` is DeadlineExceeded. */
function codeText(code: InterfaceErrorCode): string {
  if (code === 'OK') return code;
  if (code === 'CANCELLED') return 'Canceled';
  return code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('');
}
