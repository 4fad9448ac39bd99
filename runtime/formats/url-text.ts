/**
 * Parses and writes URLs as Go does: nothing is normalised, and texts are accepted that browsers refuse. Escapes may be any bytes, so
 * decoded parts are bytes until they are shown.
 */
import { goQuote } from '../go-text/quote.ts';

/** The parts of a URL. */
export interface UrlParts {
  /** in lower case */
  readonly scheme: string;
  /** for a URL such as `mailto:a@b`: the part after the scheme; otherwise empty */
  readonly opaque: string;
  /** whether there are two slashes, even if no host follows */
  readonly hasAuthority: boolean;
  /** decoded, with the port */
  readonly host: string;
  /** as written, with the password; undefined: there is none */
  readonly user: string | undefined;
  /** as written */
  readonly path: string;
  /** as written, without the question mark */
  readonly query: string;
  /** whether the URL has a question mark with nothing after it */
  readonly hasEmptyQuery: boolean;
  /** as written */
  readonly fragment: string;
}

/** The part of a URL decides which characters need no escape. */
type Part = 'path' | 'host' | 'zone' | 'user' | 'queryComponent' | 'fragment';

/** An error of a URL. */
class Problem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** @returns the parts, or the error of Go's parser */
export function parseUrl(text: string): UrlParts | { readonly error: string } {
  const hash = text.indexOf('#');
  const [whole, fragment] = hash === -1 ? [text, ''] : [text.slice(0, hash), text.slice(hash + 1)];
  const parts = partsOf(whole, false);
  if (parts instanceof Problem) return { error: `parse ${goQuote(whole)}: ${parts.message}` };
  const problem = escapeProblem(fragment, 'fragment');
  return problem === undefined ? { ...parts, fragment } : { error: `parse ${goQuote(text)}: ${problem.message}` };
}

/** @returns undefined for an absolute URL or absolute path, as a request can have; otherwise Go's error */
export function requestUrlProblem(text: string): string | undefined {
  const parts = partsOf(text, true);
  return parts instanceof Problem ? `parse ${goQuote(text)}: ${parts.message}` : undefined;
}

function partsOf(text: string, ofRequest: boolean): UrlParts | Problem {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) return new Problem('net/url: invalid control character in URL');
  if (text === '' && ofRequest) return new Problem('empty url');
  if (text.startsWith(':')) return new Problem('missing protocol scheme');
  const written = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0] ?? '';
  const behind = written === '' ? text : text.slice(written.length + 1);
  const mark = behind.indexOf('?');
  const parts = {
    scheme: written.toLowerCase(),
    opaque: '',
    hasAuthority: false,
    host: '',
    user: undefined,
    path: mark === -1 ? behind : behind.slice(0, mark),
    query: mark === -1 ? '' : behind.slice(mark + 1),
    hasEmptyQuery: mark !== -1 && mark === behind.length - 1,
    fragment: '',
  };
  const { scheme, path } = parts;
  if (text === '*') return parts;
  if (!path.startsWith('/')) {
    if (scheme !== '') return { ...parts, opaque: path, path: '' };
    if (ofRequest) return new Problem('invalid URI for request');
    if (/^[^/]*:/.test(path)) return new Problem('first path segment in URL cannot contain colon');
  }
  const hasAuthority = path.startsWith('//') && (scheme !== '' || (!ofRequest && !path.startsWith('///')));
  const authority = hasAuthority ? (/^\/\/([^/]*)/.exec(path)?.[1] as string) : '';
  const read = authorityOf(authority);
  if (read instanceof Problem) return read;
  const rest = hasAuthority ? path.slice(2 + authority.length) : path;
  return escapeProblem(rest, 'path') ?? { ...parts, ...read, hasAuthority, path: rest };
}

const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

function authorityOf(authority: string): Pick<UrlParts, 'host' | 'user'> | Problem {
  const at = authority.lastIndexOf('@');
  const host = hostOf(authority.slice(at + 1));
  if (host instanceof Problem) return host;
  if (at === -1) return { host, user: undefined };
  const user = authority.slice(0, at);
  if (!USER.test(user)) return new Problem('net/url: invalid userinfo');
  return escapeProblem(user, 'user') ?? { host, user };
}

/** The user name, and the password if there is one. */
function userParts(user: string): string[] {
  const colon = user.indexOf(':');
  return colon === -1 ? [user] : [user.slice(0, colon), user.slice(colon + 1)];
}

const isPort = (text: string): boolean => /^(?::\d*)?$/.test(text);
const wrongPort = (port: string): Problem => new Problem(`invalid port ${goQuote(port)} after host`);

function hostOf(text: string): string | Problem {
  const bracket = text.lastIndexOf(']');
  if (!text.startsWith('[')) {
    const colon = text.lastIndexOf(':');
    const port = colon === -1 ? '' : text.slice(colon);
    return isPort(port) ? shown(decoded(text, 'host')) : wrongPort(port);
  }
  if (bracket === -1) return new Problem("missing ']' in host");
  if (!isPort(text.slice(bracket + 1))) return wrongPort(text.slice(bracket + 1));
  const zone = text.slice(0, bracket).indexOf('%25');
  if (zone === -1) return shown(decoded(text, 'host'));
  const pieces = [
    shown(decoded(text.slice(0, zone), 'host')),
    shown(decoded(text.slice(zone, bracket), 'zone')),
    shown(decoded(text.slice(bracket), 'host')),
  ];
  return pieces.find((piece) => piece instanceof Problem) ?? pieces.join('');
}

const shown = (bytes: Buffer | Problem): string | Problem => (bytes instanceof Problem ? bytes : bytes.toString());

/** Decodes the escapes of a part. */
function decoded(text: string, part: Part): Buffer | Problem {
  const problem = escapeProblem(text, part);
  if (problem !== undefined) return problem;
  const plain = part === 'queryComponent' ? text.replaceAll('+', ' ') : text;
  if (!plain.includes('%')) return Buffer.from(plain);
  const pieces = plain.split('%');
  return Buffer.concat(
    pieces.map((piece, index) =>
      index === 0 ? Buffer.from(piece) : Buffer.concat([Buffer.from(piece.slice(0, 2), 'hex'), Buffer.from(piece.slice(2))]),
    ),
  );
}

const WRONG_ESCAPE = /%(?![0-9a-fA-F]{2})/;

function escapeProblem(text: string, part: Part): Problem | undefined {
  if (part === 'host' || part === 'zone') return hostProblem(text, part);
  const wrong = WRONG_ESCAPE.exec(text);
  return wrong === null ? undefined : wrongEscape(text.slice(wrong.index, wrong.index + 3));
}

/** Shows three bytes as Go does; bytes of an incomplete character are shown as numbers. */
function wrongEscape(written: string): Problem {
  let shown = '';
  let left = 3;
  for (const character of written) {
    const bytes = Buffer.from(character);
    const cut = [...bytes.subarray(0, left)].map((byte) => `\\x${byte.toString(16)}`).join('');
    shown += bytes.length <= left ? goQuote(character).slice(1, -1) : cut;
    left = Math.max(0, left - bytes.length);
  }
  return new Problem(`invalid URL escape "${shown}"`);
}

function hostProblem(text: string, part: 'host' | 'zone'): Problem | undefined {
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (character === '%') {
      const written = text.slice(index, index + 3);
      if (WRONG_ESCAPE.test(written) || isRefusedInHost(written, part)) return wrongEscape(written);
      index += 2;
    } else if (character < '\u0080' && isEscaped(character, part)) {
      return new Problem(`invalid character ${goQuote(character)} in host name`);
    }
  }
  return undefined;
}

/** Hosts must not escape ASCII; zones must not escape ASCII that is invalid in hosts. */
function isRefusedInHost(written: string, part: Part): boolean {
  const byte = Number.parseInt(written.slice(1), 16);
  if (written === '%25') return false;
  return part === 'host' ? byte < 0x80 : byte !== 0x20 && isEscaped(String.fromCharCode(byte), 'host');
}

const UNESCAPED: Readonly<Record<Part, RegExp>> = {
  path: /[A-Za-z0-9\-_.~$&+,/:;=@]/,
  host: /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/,
  zone: /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/,
  user: /[A-Za-z0-9\-_.~$&+,;=]/,
  queryComponent: /[A-Za-z0-9\-_.~]/,
  fragment: /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/,
};

const isEscaped = (character: string, part: Part): boolean => !UNESCAPED[part].test(character);

function escaped(bytes: Buffer, part: Part): string {
  return Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 0x80 && !isEscaped(character, part) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** Characters of a path that Go writes without changing them. */
const ENCODED_PATH = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/;
const ENCODED_FRAGMENT = /^[A-Za-z0-9\-_.~$&+,/:;=?@!'()*[\]%]*$/;

/** The path, with escapes for characters that are invalid in a path. */
export function escapedPath({ path }: Pick<UrlParts, 'path'>): string {
  return path === '*' || ENCODED_PATH.test(path) ? path : escaped(decoded(path, 'path') as Buffer, 'path');
}

function escapedFragment({ fragment }: UrlParts): string {
  return ENCODED_FRAGMENT.test(fragment) ? fragment : escaped(decoded(fragment, 'fragment') as Buffer, 'fragment');
}

/** The host without its port and brackets. */
export function hostName({ host }: Pick<UrlParts, 'host'>): string {
  const name = host.slice(0, host.length - portPart(host).length);
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

/** The port without the colon; empty if there is none. */
export function portOf({ host }: Pick<UrlParts, 'host'>): string {
  return portPart(host).slice(1);
}

function portPart(host: string): string {
  const colon = host.lastIndexOf(':');
  const port = colon === -1 ? '' : host.slice(colon);
  return isPort(port) ? port : '';
}

/** The values of each parameter in their order. Parameters that cannot be decoded are left out. */
export function queryParameters({ query }: Pick<UrlParts, 'query'>): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const parameter of query.split('&')) {
    if (parameter === '' || parameter.includes(';')) continue;
    const mark = parameter.indexOf('=');
    const key = shown(decoded(mark === -1 ? parameter : parameter.slice(0, mark), 'queryComponent'));
    const value = shown(decoded(mark === -1 ? '' : parameter.slice(mark + 1), 'queryComponent'));
    if (key instanceof Problem || value instanceof Problem) continue;
    const values = parameters.get(key);
    if (values === undefined) parameters.set(key, [value]);
    else values.push(value);
  }
  return parameters;
}

/** The URL as Go writes it. */
export function urlText(parts: UrlParts): string {
  const { scheme, opaque, query, hasEmptyQuery, fragment } = parts;
  const start = scheme === '' ? '' : `${scheme}:`;
  const middle = opaque === '' ? authorityText(parts) + pathText(parts) : opaque;
  const end = (query !== '' || hasEmptyQuery ? `?${query}` : '') + (fragment === '' ? '' : `#${escapedFragment(parts)}`);
  return start + middle + end;
}

function authorityText({ hasAuthority, host, user, path }: UrlParts): string {
  if (!hasAuthority || (host === '' && path === '' && user === undefined)) return '';
  const named =
    user === undefined
      ? ''
      : `${userParts(user)
          .map((part) => escaped(decoded(part, 'user') as Buffer, 'user'))
          .join(':')}@`;
  return `//${named}${escaped(Buffer.from(host), 'host')}${host !== '' && path !== '' && !path.startsWith('/') ? '/' : ''}`;
}

function pathText(parts: UrlParts): string {
  const path = escapedPath(parts);
  const isAtStart = parts.scheme === '' && parts.host === '' && parts.user === undefined;
  return isAtStart && /^[^/]*:/.test(path) ? `./${path}` : path;
}
