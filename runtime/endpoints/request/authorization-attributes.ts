import type { AccessAttributes } from '../../authorization/authorizer.ts';
import type { User } from '../../contract/request-context.ts';
import { integerProblem } from '../../formats/integers.ts';
import { pathSegment } from '../../formats/names.ts';
import { type FieldRequirement, parseFieldSelector } from '../../selectors/field-selector-text.ts';
import { type LabelRequirement, parseLabelSelector } from '../../selectors/label-selector-text.ts';
import { SelectorError } from '../../selectors/selector-error.ts';
import type { Query, RequestInfo } from './request-info.ts';

const MANY: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/**
 * What authorizers are asked about a request. A list or watch of one name is judged as a request for that name; selectors narrow what is
 * asked for where the verb takes them (paths below /watch/ do not).
 * @param withSelectors whether authorizers see selectors
 */
export function authorizationAttributes(info: RequestInfo, user: User, withSelectors: boolean): AccessAttributes {
  const { isResource, verb, path, group, version, namespace, resource, subresource, name } = info;
  const attributes = { user, isResource, verb, path, group, version, namespace, resource, subresource, name };
  if (!isResource || info.legacyWatch || !MANY.has(verb)) return attributes;
  const fields = readable(info.query.get('fieldSelector'), parseFieldSelector);
  const labels = withSelectors ? readable(info.query.get('labelSelector'), (text) => parseLabelSelector(text).requirements) : undefined;
  if (fields === undefined && labels === undefined) return attributes;
  return {
    ...attributes,
    name: askedName(info),
    ...(withSelectors && fields !== undefined && { fieldSelector: fields }),
    ...(labels !== undefined && { labelSelector: labels }),
  };
}

/** @returns the name of the one object that a request is for, though its path may name none; '' for many */
export function askedName({ isResource, verb, name, legacyWatch, query }: RequestInfo): string {
  if (name !== '' || !isResource || legacyWatch || (verb !== 'list' && verb !== 'watch')) return name;
  return nameOf(readable(query.get('fieldSelector'), parseFieldSelector), query);
}

/** @returns undefined for a selector that is absent, empty or not well-formed: the request asks for all then, or is refused later */
function readable<R extends FieldRequirement | LabelRequirement>(
  text: string | undefined,
  parse: (text: string) => readonly R[],
): readonly R[] | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const requirements = parse(text);
    return requirements.length === 0 ? undefined : requirements;
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/**
 * Finds the one name that a field selector requires. As in 1.32, a query with an option that cannot be read has none, so that users who may see only one name
 * are not told what is wrong with the query.
 */
function nameOf(fields: readonly FieldRequirement[] | undefined, query: Query): string {
  const named = fields?.find(({ field, operator }) => field === 'metadata.name' && operator !== '!=');
  return named !== undefined && pathSegment(named.value).length === 0 && isReadable(query) ? named.value : '';
}

function isReadable(query: Query): boolean {
  const labels = query.get('labelSelector') ?? '';
  const numbers = [query.get('limit'), query.get('timeoutSeconds')];
  if (numbers.some((text) => text !== undefined && integerProblem(text) !== undefined)) return false;
  return labels === '' || isWellFormed(() => parseLabelSelector(labels));
}

function isWellFormed(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}
