/** Errors for answers of the API that are no success. */
import { parseJson } from './json.ts';
import { isStatus, type Status, type StatusCause } from './status.ts';

/** Milliseconds of a second. */
const SECOND = 1_000;

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** status code of HTTP */
  readonly code: number;
  /** for programs, such as `NotFound`; undefined if the answer is not a Status */
  readonly reason: string | undefined;
  /** undefined if the answer is not a Status, as those of proxies in between */
  readonly status: Status | undefined;
  /** text of the answer, as it came */
  readonly body: string;
  /** milliseconds after which the request may be repeated; undefined if the server does not say */
  readonly retryAfter: number | undefined;

  /** @param retryAfter the header of that name, in seconds */
  constructor(code: number, body: string, retryAfter?: string) {
    const status = statusOf(body);
    super(status?.message || beginningOf(body.trim()) || `the server answered with status ${code}`);
    this.code = code;
    this.reason = status?.reason;
    this.status = status;
    this.body = body;
    const seconds = retryAfter === undefined ? statedSeconds(status) : secondsOf(retryAfter);
    this.retryAfter = seconds === undefined ? undefined : seconds * SECOND;
  }

  /** What was wrong, one for each field or condition. */
  get causes(): readonly StatusCause[] {
    const causes: unknown = this.status?.details?.causes;
    return Array.isArray(causes) ? causes.filter((cause) => typeof cause === 'object' && cause !== null) : [];
  }
}

/** Limits the time to some thirty years. Dates give undefined, because servers of the API do not send them. */
const secondsOf = (header: string): number | undefined => (/^\d{1,9}$/.test(header) ? Number(header) : undefined);

/** How many characters an error shows of an answer that is not a Status, such as the page of a proxy. */
const SHOWN = 2_048;

const beginningOf = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

function statedSeconds(status: Status | undefined): number | undefined {
  const seconds: unknown = status?.details?.retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds : undefined;
}

function statusOf(body: string): Status | undefined {
  try {
    const parsed = parseJson(body);
    return isStatus(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The error for an object inside an answer, such as that of an event of type ERROR. An object that is not a Status counts as an internal error of the server. */
export function errorOfStatus(status: unknown): ApiError {
  const code = isStatus(status) && Number.isInteger(status.code) ? status.code : undefined;
  return new ApiError(code ?? 500, JSON.stringify(status) ?? '');
}

/** Reasons of the API that the functions below ask for. Others, such as those of admission webhooks, say nothing that programs could know. */
const ASKED: readonly string[] = ['Unauthorized', 'Forbidden', 'NotFound', 'AlreadyExists', 'Conflict', 'Gone', 'Invalid', 'Expired'];

/** An error with a reason that nobody knows is told by its code, as in 1.32. */
const has = (error: unknown, code: number, ...reasons: string[]): boolean =>
  error instanceof ApiError && (reasons.includes(error.reason ?? '') || (error.code === code && !ASKED.includes(error.reason ?? '')));

/** Whether there is no such object, or no such resource. */
export const isNotFound = (error: unknown): boolean => has(error, 404, 'NotFound');
/** Whether an object of that name exists already. The code alone would say so of every conflict, so it counts only if there is no reason. */
export const isAlreadyExists = (error: unknown): boolean =>
  error instanceof ApiError && (error.reason === undefined ? error.code === 409 : error.reason === 'AlreadyExists');
/** Whether the object has changed since it was read, or others own fields that were applied. */
export const isConflict = (error: unknown): boolean => has(error, 409, 'Conflict');
/** Whether the server no longer has the version or the page. */
export const isGone = (error: unknown): boolean => has(error, 410, 'Gone', 'Expired');
/** Whether the object violates its schema. */
export const isInvalid = (error: unknown): boolean => has(error, 422, 'Invalid');
/** Whether the server did not accept the client's credentials. */
export const isUnauthorized = (error: unknown): boolean => has(error, 401, 'Unauthorized');
/** Whether the client is not authorized to do that. */
export const isForbidden = (error: unknown): boolean => has(error, 403, 'Forbidden');
