/** Attributes of spans for gRPC calls, by the semantic conventions 1.20 of OpenTelemetry. */
import type { TraceAttributes } from '../contract/trace.ts';

/** @param path `/SERVICE/METHOD` */
export function grpcAttributes(path: string): TraceAttributes {
  const slash = path.lastIndexOf('/');
  return { 'rpc.system': 'grpc', 'rpc.service': path.slice(1, slash), 'rpc.method': path.slice(slash + 1) };
}

/** @param path `/SERVICE/METHOD` */
export const grpcSpanName = (path: string): string => path.slice(1);

/** @param code such as `DeadlineExceeded`; any other text counts as unknown */
export function grpcStatus(code: string): TraceAttributes {
  const number = CODES.indexOf(code);
  return { 'rpc.grpc.status_code': number < 0 ? UNKNOWN : number };
}

/** Codes by their numbers (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). The gRPC library has them too, but is too large to load for that. */
const CODES: readonly string[] = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];
const UNKNOWN = CODES.indexOf('Unknown');

/** @returns the message of the service in an error of gRPC, without the code before it */
export const grpcProblem = (problem: string): string => problem.replace(BEFORE_WORDS, '');

const BEFORE_WORDS = /^rpc error: code = \w+ desc = /;
