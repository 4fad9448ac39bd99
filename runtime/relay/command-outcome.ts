/** How a command ended: read from what an agent says, and written for the client. */

import { bytesError } from '../schema/json/json-walk.ts';
import { isObject } from '../schema/json/member.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { newInternalErrorOf, type Status } from '../status/status.ts';

/** A Status without kind and version, as clients get it on the error channel. */
export interface Outcome extends Omit<Status, 'kind' | 'apiVersion' | 'reason'> {
  /** a text, because agents have reasons that are not among the server's */
  readonly reason?: string;
}

export const SUCCESS: Outcome = { metadata: {}, status: 'Success' };

/** The outcome when the command could not be run or followed. */
export function failed(text: string): Outcome {
  return withoutKind(newInternalErrorOf(text).status);
}

/** @returns undefined for a text that is no Status */
export function statusOf(text: string): Outcome | undefined {
  const status = parsed(text);
  return status?.kind === 'Status' && status.apiVersion === 'v1' ? withoutKind(status as Status) : undefined;
}

function withoutKind({ kind: _kind, apiVersion: _version, ...outcome }: Status): Outcome {
  return outcome;
}

/** A Status in an agent's message, of which nothing is checked yet. */
interface Message {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly details?: { readonly causes?: unknown } | null;
}

/** @param message all that the agent said on the stream of errors (versions 4 and 5 of the protocol) */
export function outcomeOf(message: string): Outcome {
  if (message === '') return SUCCESS;
  const status = parsed(message);
  if (status === undefined) return failed(`error stream protocol error: ${unreadable(message)} in ${JSON.stringify(message)}`);
  if (status.status === 'Success') return SUCCESS;
  if (status.status !== 'Failure') return failed('error stream protocol error: unknown error');
  if (status.reason !== 'NonZeroExitCode') return failed(String(status.message ?? ''));
  if (status.details === undefined || status.details === null) return failed('error stream protocol error: details must be set');
  const { causes } = status.details;
  const cause = Array.isArray(causes) ? causes.find((each) => each?.reason === 'ExitCode') : undefined;
  if (cause === undefined) return failed('error stream protocol error: no ExitCode cause given');
  const code = String(cause.message ?? '');
  if (!/^\d{1,3}$/.test(code) || Number(code) > 255)
    return failed(`error stream protocol error: invalid exit code value ${JSON.stringify(code)}`);
  return exited(Number(code));
}

function exited(code: number): Outcome {
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(code) }] },
  };
}

/** `null` says as little as an empty object does. @returns undefined for what is no object */
function parsed(text: string): Message | undefined {
  try {
    const value = parseNativeJson<unknown>(text) ?? {};
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Why a text is no Status, in the words of 1.32. */
function unreadable(text: string): string {
  const error = bytesError(Buffer.from(text));
  return error?.message ?? `json: cannot unmarshal ${kindOf(text.trimStart())} into Go value of type v1.Status`;
}

/** The kind of valid JSON that is no object, by its first character. */
function kindOf([first = '']: string): string {
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  return first === 't' || first === 'f' ? 'bool' : 'number';
}
