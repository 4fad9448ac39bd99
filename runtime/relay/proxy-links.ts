/** Paths of a backend behind the proxy. What the backend calls `/x`, the client calls `…/proxy/x`. */
import path from 'node:path/posix';

/** Percent-encodes a path as Go does: characters that a segment may hold stay as they are. @param bytes one character for each */
export function encodePath(bytes: string): string {
  return bytes.replace(/[^\w\-.~$&+,/:;=@]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** The path to ask for, cleaned of `..` and repeated slashes. @param rest what follows `proxy` in the client's path, unescaped; '' or with a leading slash */
export function backendPath(rest: string): string {
  if (rest === '') return '';
  const cleaned = path.normalize(rest);
  return rest.endsWith('/') && !cleaned.endsWith('/') ? `${cleaned}/` : cleaned;
}

export interface Seen {
  /** the client's path up to and with `proxy`, as the client wrote it */
  readonly prefix: string;
  /** of the backend, as in a URL */
  readonly backendHost: string;
  /** the Host header of the client */
  readonly clientHost: string;
}

/** Rewrites a backend's link for the client: a link to the backend itself then leads through the proxy. Others stay as they are. */
export function clientLink(link: string, { prefix, backendHost, clientHost }: Seen): string {
  const match = LINK.exec(link);
  if (match === null) return link;
  const { host, target = '', rest = '' } = match.groups ?? {};
  if (!target.startsWith('/') || (host !== undefined && host !== '' && host !== backendHost && host !== clientHost)) return link;
  const kept = host !== undefined && host === clientHost ? link.slice(0, link.length - target.length - rest.length) : '';
  if (target.startsWith(prefix)) return `${kept}${target}${rest}`;
  const joined = path.join(prefix, target);
  return `${kept}${target.endsWith('/') && !joined.endsWith('/') ? `${joined}/` : joined}${rest}`;
}

/** A URL or a part of one (RFC 3986 appendix B). */
const LINK = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/(?<host>[^/?#]*))?(?<target>[^?#]*)(?<rest>.*)$/is;
