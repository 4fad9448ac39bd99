/** What spans say of calls of gRPC, as instrumentation of OpenTelemetry has it (semantic conventions 1.20). */
import type { TraceAttributes } from '../contract/trace.ts';

/** @param path `/SERVICE/METHOD` */
export function grpcAttributes(path: string): TraceAttributes {
  const slash = path.lastIndexOf('/');
  return { 'rpc.system': 'grpc', 'rpc.service': path.slice(1, slash), 'rpc.method': path.slice(slash + 1) };
}

/** @param path `/SERVICE/METHOD` */
export const grpcSpanName = (path: string): string => path.slice(1);

/** @param code such as `DeadlineExceeded`; what is none is unknown to gRPC */
export function grpcStatus(code: string): TraceAttributes {
  const number = CODES.indexOf(code);
  return { 'rpc.grpc.status_code': number < 0 ? UNKNOWN : number };
}

/** By number (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). The library of gRPC, which has them too, is too much to be loaded for them. */
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

/** The words of the service in an error of gRPC, without what the code says already. */
export const grpcProblem = (problem: string): string => problem.replace(BEFORE_WORDS, '');

const BEFORE_WORDS = /^rpc error: code = \w+ desc = /;
