/** An answer of the API that is no success. */
import { parseJson } from './json.ts';
import { isStatus, type Status, type StatusCause } from './status.ts';

/** Milliseconds of a second. */
const SECOND = 1_000;

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** of HTTP */
  readonly code: number;
  /** for programs, such as `NotFound`; undefined where the answer is no Status */
  readonly reason: string | undefined;
  /** undefined where the answer is none, as those of proxies in between */
  readonly status: Status | undefined;
  /** text of the answer, as it came */
  readonly body: string;
  /** milliseconds after which the server wants the request again; undefined where it does not say */
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

/** Some thirty years at most; undefined for dates, which servers of the API do not send. */
const secondsOf = (header: string): number | undefined => (/^\d{1,9}$/.test(header) ? Number(header) : undefined);

/** Characters of an answer that is no Status, such as a page of a proxy, that its error shows. */
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

/** Of what stands behind an answer's beginning, such as an event of type ERROR, which ends a watch. What is no Status is an error of the server. */
export function errorOfStatus(status: unknown): ApiError {
  const code = isStatus(status) && Number.isInteger(status.code) ? status.code : undefined;
  return new ApiError(code ?? 500, JSON.stringify(status) ?? '');
}

const has = (error: unknown, code: number, ...reasons: string[]): boolean =>
  error instanceof ApiError && (reasons.length === 0 || error.reason === undefined ? error.code === code : reasons.includes(error.reason));

/** There is no such object, or no such resource. */
export const isNotFound = (error: unknown): boolean => has(error, 404, 'NotFound');
/** There is an object of that name. */
export const isAlreadyExists = (error: unknown): boolean => has(error, 409, 'AlreadyExists');
/** The object has changed since it was read, or other owners have the fields that were applied. */
export const isConflict = (error: unknown): boolean => has(error, 409, 'Conflict');
/** The version, or the page, is no longer kept. */
export const isGone = (error: unknown): boolean => has(error, 410, 'Gone', 'Expired');
/** The object is not as its schema has it. */
export const isInvalid = (error: unknown): boolean => has(error, 422, 'Invalid');
/** The server does not know who asks. */
export const isUnauthorized = (error: unknown): boolean => has(error, 401);
/** Whoever asks may not do that. */
export const isForbidden = (error: unknown): boolean => has(error, 403);
