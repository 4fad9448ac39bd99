/** The functions of URLs that Kubernetes adds to CEL. */
import {
  escapedPath,
  hostName,
  parseUrl,
  portOf,
  queryParameters,
  requestUrlProblem,
  type UrlParts,
  urlText,
} from '../../formats/url-text.ts';
import type { FunctionDeclaration, Library } from '../environment/declarations.ts';
import { BOOL, closedStruct, listOf, mapOf, STRING } from '../types/type.ts';
import { ArrayList, EntryMap, ErrorValue, OpaqueValue, type Value } from '../values/value.ts';
import { declared, member, plain } from './overloads.ts';
import { traversalUnits } from './standard/costs.ts';

export const URL = closedStruct('kubernetes.URL');

export class UrlValue extends OpaqueValue {
  readonly type = URL;
  readonly parts: UrlParts;

  private constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }

  /** Parses an absolute URL or an absolute path. */
  static parse(text: string): UrlValue | ErrorValue {
    const parts = parseUrl(text);
    const problem = requestUrlProblem(text) ?? ('error' in parts ? parts.error : undefined);
    if (problem !== undefined) return new ErrorValue(`URL parse error during conversion from string: ${problem}`);
    return new UrlValue(parts as UrlParts);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof UrlValue && urlText(this.parts) === urlText(other.parts);
  }
}

const part = (name: string, id: string, of: (parts: UrlParts) => string): FunctionDeclaration =>
  declared(name, [member(id, [URL], STRING, ({ parts }: UrlValue) => of(parts))]);

function queryOf({ parts }: UrlValue): Value {
  const entries = Array.from(queryParameters(parts), ([key, values]) => [key, new ArrayList(values)] as const);
  return EntryMap.of(entries);
}

export const urlsLibrary: Library = {
  name: 'kubernetes.urls',
  since: 0,
  functions: [
    declared('url', [plain('string_to_url', [STRING], URL, UrlValue.parse)], ([text]) => traversalUnits(text)),
    declared('isURL', [plain('is_url_string', [STRING], BOOL, (text: string) => requestUrlProblem(text) === undefined)]),
    part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
    part('getHost', 'url_get_host', ({ host }) => host),
    part('getHostname', 'url_get_hostname', hostName),
    part('getPort', 'url_get_port', portOf),
    part('getEscapedPath', 'url_get_escaped_path', escapedPath),
    declared('getQuery', [member('url_get_query', [URL], mapOf(STRING, listOf(STRING)), queryOf)]),
  ],
};
