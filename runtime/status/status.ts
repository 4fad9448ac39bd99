import { aggregateText } from '../contract/aggregate-text.ts';
import { type FieldError, MOST_FINDINGS } from '../contract/field-error.ts';
import { goQuote } from '../contract/go-quote.ts';

/** What every failed request answers (and a successful delete): the kind Status of the core group. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code?: number;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** of the resource where the error is about one, of the kind where it is about a body */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export type StatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'Timeout'
  | 'ServerTimeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable';

/** HTTP status of each reason. */
export const STATUS_CODES: Readonly<Record<StatusReason, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Invalid: 422,
  Timeout: 504,
  ServerTimeout: 500,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  Expired: 410,
  ServiceUnavailable: 503,
};

/** A refusal on its way to the client. Thrown by handlers and the registry, rendered once in the chain. */
export class StatusError extends Error {
  readonly status: Status;
  constructor(status: Status) {
    super(status.message);
    this.status = status;
  }
  get code(): number {
    return this.status.code ?? 500;
  }
}

export const hasReason = (error: unknown, reason: StatusReason): error is StatusError =>
  error instanceof StatusError && error.status.reason === reason;

export const isNotFound = (error: unknown): boolean => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): boolean => hasReason(error, 'AlreadyExists');
export const isForbidden = (error: unknown): boolean => hasReason(error, 'Forbidden');

export const isConflict = (error: unknown): boolean => hasReason(error, 'Conflict');

/** A resource of a group, as errors name it. The core group is ''. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** As errors and traces name a resource. */
export const resourceText = ({ group, resource }: GroupResource): string => (group === '' ? resource : `${resource}.${group}`);
const kindText = ({ group, kind }: GroupKind): string => (group === '' ? kind : `${kind}.${group}`);

/** Characters of a message: those of all that is told of one object, each with its path. */
const MESSAGE_LIMIT = 1024 * 1024;

function failure(reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: bounded(message, MESSAGE_LIMIT),
    reason,
    ...(details === undefined ? {} : { details }),
    code: STATUS_CODES[reason],
  });
}

/** Leaves out empty members, in the order in which 1.32 writes them. */
function detailsOf(name: string, group: string, kind: string, rest: Partial<StatusDetails> = {}): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), ...(kind === '' ? {} : { kind }), ...rest };
}

export const newNotFound = (of: GroupResource, name: string): StatusError =>
  failure('NotFound', `${resourceText(of)} ${goQuote(name)} not found`, detailsOf(name, of.group, of.resource));

/** A path below a served group version that leads nowhere. */
export const newUnknownResource = (): StatusError => failure('NotFound', 'the server could not find the requested resource', {});

export const newAlreadyExists = (of: GroupResource, name: string): StatusError =>
  failure('AlreadyExists', `${resourceText(of)} ${goQuote(name)} already exists`, detailsOf(name, of.group, of.resource));

/** Of an object that has a prefix for names, whether or not its own was made of it, as in 1.32: it may be tried again in a second. */
export const newGeneratedNameTaken = (of: GroupResource, name: string): StatusError =>
  failure(
    'AlreadyExists',
    `${resourceText(of)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    detailsOf(name, of.group, of.resource, { retryAfterSeconds: 1 }),
  );

/** @param cause why, as a sentence without a full stop */
export const newConflict = (of: GroupResource, name: string, cause: string): StatusError =>
  failure(
    'Conflict',
    `Operation cannot be fulfilled on ${resourceText(of)} ${goQuote(name)}: ${cause}`,
    detailsOf(name, of.group, of.resource),
  );

export const OBJECT_MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** An apply that would take fields from other managers. */
export const newApplyConflict = (message: string, causes: readonly StatusCause[]): StatusError => failure('Conflict', message, { causes });

export const newBadRequest = (message: string): StatusError => failure('BadRequest', message);

export const newUnauthorized = (): StatusError => failure('Unauthorized', 'Unauthorized');

export const newForbidden = (of: GroupResource, name: string, cause: string, causes?: readonly StatusCause[]): StatusError =>
  failure(
    'Forbidden',
    of.group === '' && of.resource === ''
      ? `forbidden: ${cause}`
      : `${resourceText(of)}${name === '' ? '' : ` ${goQuote(name)}`} is forbidden: ${cause}`,
    detailsOf(name, of.group, of.resource, causes === undefined ? {} : { causes }),
  );

/** What 1.32 gives no reason for, because it did not expect it: the client is told what it is all the same. */
export const newUnknown = (message: string): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: bounded(message, MESSAGE_LIMIT),
    code: 500,
  });

/** A path outside of the resources that the user may not use. */
export const newForbiddenPath = (cause: string): StatusError => failure('Forbidden', `forbidden: ${cause}`, {});

export const newMethodNotAllowed = (): StatusError =>
  failure('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

/** A verb that the resource does not have though the path is right. */
export const newMethodNotSupported = (of: GroupResource, verb: string): StatusError =>
  failure('MethodNotAllowed', `${verb} is not supported on resources of kind "${resourceText(of)}"`, detailsOf('', of.group, of.resource));

/** A verb that the resource lost when its definition was deleted. */
export const newDefinitionTerminating = (of: GroupResource, verb: string): StatusError =>
  failure('MethodNotAllowed', `${verb} not allowed while custom resource definition is terminating`, detailsOf('', of.group, of.resource));

/** @param available media types that the resource can be had in */
export const newNotAcceptable = (available: readonly string[]): StatusError =>
  failure('NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`, {});

/** The form that discovery documents use. */
export const newNotAcceptablePlain = (available: readonly string[]): StatusError =>
  failure('NotAcceptable', `only the following media types are accepted: ${available.join(', ')}`);

export const newUnsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

/** Characters of all that is told of one object. */
export const TOLD_LIMIT = 256 * 1024;

/** A text that is no longer than this; of a longer one the beginning. @param limit in characters */
function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}...`;
}

/** What is told of errors: the first, at least one, in full, for each may show the value of a whole list; then, last, that there are more. */
function toldOf(errors: readonly FieldError[]): { texts: string[]; causes: StatusCause[] } {
  let length = 0;
  const end = errors.findIndex(({ field, message }, index) => {
    length += field.length + message.length;
    return index === MOST_FINDINGS || (index > 0 && length > TOLD_LIMIT);
  });
  const told = (end === -1 ? errors : errors.slice(0, end)).map((error) => ({ ...error, message: bounded(error.message, TOLD_LIMIT) }));
  const texts = new Set(told.map(({ field, message }) => `${field}: ${message}`));
  const causes: StatusCause[] = told.map(({ reason, message, field }) => ({ reason, message, ...(field !== '' && { field }) }));
  if (end !== -1) {
    const message = `Too many errors: no more than the first ${end} are told`;
    texts.add(message);
    causes.push({ reason: 'FieldValueTooMany', message });
  }
  return { texts: [...texts], causes };
}

/** Of errors beyond a thousand, or a quarter of a million characters, the last cause says that there are more. */
export const newInvalid = (of: GroupKind, name: string, errors: readonly FieldError[]): StatusError => {
  const { texts, causes } = toldOf(errors);
  const list = texts.length === 0 ? '' : `: ${aggregateText(texts)}`;
  return failure('Invalid', `${kindText(of)} ${goQuote(name)} is invalid${list}`, detailsOf(name, of.group, of.kind, { causes }));
};

/** A body type that no patch has. */
export const newUnsupportedPatchType = (): StatusError => failure('UnsupportedMediaType', '415: Unsupported Media Type', {});

/** A patch whose operations do not fit the object: a failed test, a path that is not there. */
export const newPatchRejected = (): StatusError => failure('Invalid', 'the server rejected our request due to an error in our request', {});

export const newTooLarge = (problem: string): StatusError => failure('RequestEntityTooLarge', `Request entity too large: ${problem}`);

export const newRequestEntityTooLarge = (limit: number): StatusError => newTooLarge(`limit is ${limit}`);

export const newTimeout = (message: string): StatusError => failure('Timeout', `Timeout: ${message}`, {});

/** A resourceVersion that the store has not reached. */
export const newTooLargeResourceVersion = (wanted: number | bigint, current: number, retryAfterSeconds: number): StatusError =>
  failure('Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  });

export const newExpired = (message: string): StatusError => failure('Expired', message);

export const newServiceUnavailable = (message: string): StatusError => failure('ServiceUnavailable', message);

export const newTooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  failure('TooManyRequests', message, { retryAfterSeconds });

/** More events than there may be: nobody is told when to come again. */
export const newTooManyEvents = (problem: string): StatusError => failure('TooManyRequests', `Too many requests: ${problem}`);

/** A fault of ours: the log repeats `id` with what happened; the client learns nothing else. */
export const newInternalError = (id: string): StatusError =>
  failure('InternalError', `Internal error occurred: see the server's log for request ${id}`, {
    causes: [{ message: `request ${id}` }],
  });

/** A failure whose text clients may read, such as what another server said when it failed. */
export const newInternalErrorOf = (text: string): StatusError =>
  failure('InternalError', `Internal error occurred: ${text}`, { causes: [{ message: text }] });

interface ServerAnswer {
  readonly reason: StatusReason;
  /** absent: the server's own text */
  readonly message?: string;
  /** the message where the server said nothing, or nothing that could be read */
  readonly ofNoText?: string;
}

/** What 1.32 makes of the HTTP status of another server, by that status. */
const SERVER_ANSWERS: Readonly<Record<number, ServerAnswer>> = {
  400: { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' },
  401: { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' },
  403: { reason: 'Forbidden' },
  404: { reason: 'NotFound', message: 'the server could not find the requested resource' },
  405: { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' },
  406: { reason: 'NotAcceptable', ofNoText: 'the server was unable to respond with a content type that the client supports' },
  409: { reason: 'Conflict', message: 'the server reported a conflict' },
  415: { reason: 'UnsupportedMediaType' },
  422: { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
  429: { reason: 'TooManyRequests', message: 'the server has received too many requests and has asked us to try again later' },
  503: { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' },
  504: {
    reason: 'Timeout',
    message: 'the server was unable to return a response in the time allotted, but may still be processing the request',
  },
};

/** What stands for the body of an answer that is no text. */
export const UNREADABLE = 'unknown';

/** What 1.32 says of the answer of another server. @param text its body */
export const serverAnswerMessage = (code: number, text: string): string => {
  const known = SERVER_ANSWERS[code];
  if (known?.ofNoText !== undefined && (text === '' || text === UNREADABLE)) return known.ofNoText;
  if (known !== undefined) return known.message ?? text;
  return code >= 500
    ? `an error on the server (${goQuote(text)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`;
};

/** The answer of another server to a request that was made for `of`. @param text its body */
export const newServerAnswer = (code: number, of: GroupResource, name: string, text: string): StatusError => {
  const known = SERVER_ANSWERS[code];
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${serverAnswerMessage(code, text)} ( ${resourceText(of)} ${name})`,
    ...(known !== undefined ? { reason: known.reason } : code >= 500 ? { reason: 'InternalError' } : {}),
    details: detailsOf(name, of.group, of.resource),
    code,
  });
};

/**
 * What 1.32 refuses without a reason, as a server error: the schemas' and rules' findings on objects that are never stored (a Binding).
 * @param errors at least one
 */
export const newUnclassified = (errors: readonly FieldError[]): StatusError => newUnknown(aggregateText(toldOf(errors).texts));

export const newSuccess = (details: StatusDetails): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details,
});

export { detailsOf };
