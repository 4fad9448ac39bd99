/** Headers that tell another server who the client is. It believes them because of this server's client certificate (RequestHeader authentication). */
import type { User } from '../contract/request-context.ts';

const PREFIX = 'x-remote-';
const EXTRA = 'x-remote-extra-';
const SINGLE: ReadonlySet<string> = new Set(['x-remote-user', 'x-remote-uid', 'x-remote-group']);

/** Whether a header tells who the client is. Such headers of a client are never passed on. @param name in lower case */
export function isIdentityHeader(name: string): boolean {
  return name.startsWith(PREFIX) && (SINGLE.has(name) || name.startsWith(EXTRA));
}

/**
 * The headers for a user: names and values in turn. Each character stands for one byte (Latin-1), as Node wants them.
 * @param withUid the feature gate RemoteRequestHeaderUID
 */
export function identityHeaders({ name, uid, groups, extra }: User, withUid: boolean): string[] {
  const headers: string[] = ['X-Remote-User', bytes(name)];
  if (withUid && uid !== '') headers.push('X-Remote-Uid', bytes(uid));
  for (const group of groups) headers.push('X-Remote-Group', bytes(group));
  for (const [key, values] of Object.entries(extra))
    for (const value of values) headers.push(`X-Remote-Extra-${escapedKey(key)}`, bytes(value));
  return headers;
}

function bytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Writes as `%XX` the bytes that names of headers must not have (RFC 9110 section 5.6.2), and the percent sign itself. */
function escapedKey(key: string): string {
  return bytes(key).replace(/[^!#$&'*+\-.^_`|~\da-z]/gi, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
