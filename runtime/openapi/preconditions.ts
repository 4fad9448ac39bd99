/** What a client says of the document that it has (RFC 9110, section 13), read as in 1.32: entity tags count before dates. */
import { matchesEntityTag } from '../discovery/entity-tag.ts';
import { headerText, type RequestHeaders } from './openapi-answer.ts';

/** The document of now. */
export interface CurrentDocument {
  readonly tag: string;
  /** whole seconds since 1970 */
  readonly modified: number;
}

/** @returns the status that answers the request without the document; undefined: the document does */
export function preconditionStatus(headers: RequestHeaders, { tag, modified }: CurrentDocument): 304 | 412 | undefined {
  const wanted = headerText(headers['if-match']);
  if (wanted !== undefined ? !hasStrongly(wanted, tag) : isBefore(headers['if-unmodified-since'], modified)) return 412;
  const known = headerText(headers['if-none-match']);
  if (known !== undefined) return matchesEntityTag(known, tag) ? 304 : undefined;
  const since = dateOf(headers['if-modified-since']);
  return since !== undefined && modified <= since ? 304 : undefined;
}

/** A weak tag never does. */
function hasStrongly(header: string, tag: string): boolean {
  return header.split(',').some((part) => [tag, '*'].includes(part.trim()));
}

function isBefore(header: string | string[] | undefined, modified: number): boolean {
  const date = dateOf(header);
  return date !== undefined && date < modified;
}

/** @returns undefined for what is no date, which counts as absent */
function dateOf(header: string | string[] | undefined): number | undefined {
  const date = Date.parse(headerText(header) ?? '');
  return Number.isNaN(date) ? undefined : Math.floor(date / 1000);
}
