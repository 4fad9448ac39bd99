import { NOT_PLAIN, pathText, writtenPath } from './path-text.ts';
import { SNAPSHOT_PATH } from './snapshot-path.ts';

/**
 * What a request is about, from its method, path and query alone (specification: Endpoints, Authorization "Verb mapping").
 * Paths are decoded once here. Later steps look at the URL's path only to pass it on to another server with the bytes that it has.
 */
export interface RequestInfo {
  /** below /api/<version>/ or /apis/<group>/<version>/ with a resource; everything else is judged by its path */
  readonly isResource: boolean;
  /** lower-case API verb of a resource request, or the lower-case HTTP method */
  readonly verb: string;
  readonly path: string;
  readonly group: string;
  readonly version: string;
  /** of a request for a namespace itself its name */
  readonly namespace: string;
  /** the path names a resource within a namespace */
  readonly inNamespace: boolean;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** what follows the subresource, without a leading slash, as the client wrote it (of `proxy`) */
  readonly rest: string;
  /** a path under the deprecated /watch/ prefix: judged as the verb `watch`, though only GET is served there */
  readonly legacyWatch: boolean;
  /** a path under the /proxy/ prefix of old: judged as the verb `proxy`, and not served any more */
  readonly legacyProxy: boolean;
  readonly query: Query;
}

/** What makes a parameter unreadable: 1.32 takes it as if it were not there, and no semicolon as a separator. */
const UNREADABLE = /;|%(?![\da-f]{2})/i;

function readable(query: string): string {
  if (!UNREADABLE.test(query)) return query;
  return query
    .split('&')
    .filter((parameter) => !UNREADABLE.test(parameter))
    .join('&');
}

/** Query parameters; of a repeated one the first value counts. */
export class Query {
  readonly #parameters: URLSearchParams | undefined;
  constructor(text: string) {
    this.#parameters = text === '' ? undefined : new URLSearchParams(readable(text));
  }
  get(name: string): string | undefined {
    return this.#parameters?.get(name) ?? undefined;
  }
  has(name: string): boolean {
    return this.#parameters?.has(name) ?? false;
  }
  /** all parameters, decoded, in their order */
  entries(): [name: string, value: string][] {
    return [...(this.#parameters ?? [])];
  }
  all(name: string): string[] {
    return this.#parameters?.getAll(name) ?? [];
  }
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** Subresources of namespaces: below /namespaces/<name>/ these are not resource names. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

/** A slash separates, escaped or not: 1.32 reads a path once its escapes are gone. */
const SEPARATOR = /(\/|%2f)/i;

const NO_QUERY = new Query('');

/** A path under a prefix that stands for a verb, with nothing behind it: what is asked for cannot be told. */
export class UnclearPath extends Error {
  override readonly name = 'UnclearPath';
}

/** @throws URIError when the path holds a broken percent escape, UnclearPath */
export function resolveRequestInfo(method: string, url: string): RequestInfo {
  const mark = url.indexOf('?');
  const rawPath = writtenPath(url);
  const query = mark < 0 ? NO_QUERY : new Query(url.slice(mark + 1));
  const isPlain = !NOT_PLAIN.test(rawPath);
  const path = isPlain ? rawPath : pathText(rawPath);
  const pieces = isPlain ? undefined : rawPath.split(SEPARATOR);
  const parts = pieces?.filter((_, index) => index % 2 === 0) ?? rawPath.split('/');
  let end = parts.length;
  while (parts[end - 1] === '') end--;
  let at = 1;
  while (at < end && parts[at] === '') at++;
  const segment = (index: number): string =>
    index >= end ? '' : pieces === undefined ? (parts[index] as string) : pathText(parts[index] as string);
  const prefix = segment(at);
  const named = end - at - (prefix === 'apis' ? 3 : 2);
  if (named <= 0 || (prefix !== 'api' && prefix !== 'apis')) return ofPath(method, path, query);
  const group = prefix === 'apis' ? segment(++at) : '';
  const version = segment(++at);
  at += 1;

  // A method that no verb has is judged as no verb at all: `LIST` is not a list.
  let verb = VERBS.get(method) ?? '';
  const special = segment(at);
  const legacyWatch = special === 'watch';
  const legacyProxy = special === 'proxy';
  if (legacyWatch || legacyProxy) {
    if (named === 1) throw new UnclearPath(`unable to determine kind and namespace from url, ${url}`);
    // whatever the method is
    verb = special;
    at += 1;
  }

  let namespace = '';
  let inNamespace = false;
  if (segment(at) === 'namespaces' && end > at + 2 && !NAMESPACE_SUBRESOURCES.has(segment(at + 2))) {
    namespace = segment(at + 1);
    inNamespace = true;
    at += 2;
  } else if (segment(at) === 'namespaces' && end > at + 1) {
    namespace = segment(at + 1);
  }
  const resource = segment(at);
  const name = segment(at + 1);
  // Whatever stands behind the name was the other server's own.
  const subresource = legacyProxy ? '' : segment(at + 2);
  const rest = end > at + 3 && !legacyProxy ? (pieces?.slice(2 * (at + 3)).join('') ?? parts.slice(at + 3).join('/')) : '';

  if (!legacyWatch && !legacyProxy && name === '') {
    if (verb === 'get') verb = isTrue(query, 'watch') ? 'watch' : 'list';
    else if (verb === 'delete') verb = 'deletecollection';
  }
  return {
    isResource: true,
    verb,
    path,
    group,
    version,
    namespace,
    inNamespace,
    resource,
    subresource,
    name,
    rest,
    legacyWatch,
    legacyProxy,
    query,
  };
}

/** Of no resource. */
function ofPath(method: string, path: string, query: Query): RequestInfo {
  return {
    isResource: false,
    verb: method.toLowerCase(),
    path,
    group: '',
    version: '',
    namespace: '',
    inNamespace: false,
    resource: '',
    subresource: '',
    name: '',
    rest: '',
    legacyWatch: false,
    legacyProxy: false,
    query,
  };
}

/** Subresources that stand for a connection to a node, a pod or a service. */
const CONNECTIONS = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** What is measured for as long as somebody likes, and what is as long as the store is large. */
const LONG_PATHS = ['/debug/pprof/', SNAPSHOT_PATH];

/** Requests that may last as long as their client likes: no time limit of the server holds for them, nor a `timeout` of the query. */
export function isLongRunning({ isResource, verb, subresource, path }: RequestInfo): boolean {
  if (isResource) return verb === 'watch' || verb === 'proxy' || CONNECTIONS.has(subresource);
  return LONG_PATHS.some((long) => path.startsWith(long));
}

/** A flag of the query: present with any value but "0" and "false". */
export function isTrue(query: Query, name: string): boolean {
  const value = query.get(name);
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false';
}
