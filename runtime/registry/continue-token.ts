/**
 * The token of a chunked list: the revision of its snapshot and the key to go on from, relative to the resource's prefix.
 * It names no resource, no process and no cache, so that any worker can go on with it, after a restart too.
 */
import { newBadRequest } from '../status/status.ts';

export interface ContinuePoint {
  /** revision of the snapshot; -1: the present, after an expired token */
  readonly revision: number;
  /** first key of the next chunk, without the prefix */
  readonly start: string;
}

export function encodeContinue({ revision, start }: ContinuePoint, apiVersion: string): string {
  return Buffer.from(JSON.stringify({ v: apiVersion, rv: revision, start })).toString('base64url');
}

/** @param apiVersion `meta.<group domain>/v1`. @throws StatusError BadRequest */
export function decodeContinue(token: string, apiVersion: string): ContinuePoint {
  let value: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    throw newBadRequest('continue key is not valid: it must be one that this server gave');
  }
  const { v, rv, start } = value ?? {};
  if (v !== apiVersion) throw newBadRequest('continue key is not valid: server does not recognize this encoded version');
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0 || rv < -1)
    throw newBadRequest('continue key is not valid: it holds no revision');
  if (typeof start !== 'string' || start === '' || start.split('/').some((part) => part === '..'))
    throw newBadRequest('continue key is not valid: it holds no key');
  return { revision: rv, start };
}
