/** What a server answers, as JSON. */
import { parseJson } from '../objects/json.ts';
import { ConnectionError } from '../transport/transport.ts';

/**
 * @param what of the request, for the error
 * @throws ConnectionError for what is no JSON object, such as a page of a proxy that stands in between
 */
export function answerOf<T>(text: string, what: string): T {
  let answer: unknown;
  try {
    answer = parseJson(text);
  } catch (error) {
    throw new ConnectionError(`${what}: the answer is no JSON: ${(error as Error).message}`, error);
  }
  if (isObject(answer)) return answer as T;
  throw new ConnectionError(`${what}: the answer is no object`, undefined);
}

/**
 * The items of a list, of which servers may say null where there are none.
 * @param what of the request, for the error
 * @throws ConnectionError for what is no list: it would be one of nothing, and what is in no list may be taken to be gone
 */
export function itemsOf<T>({ items }: { readonly items?: unknown }, what: string): T[] {
  if (items === null) return [];
  if (Array.isArray(items) && items.every(isObject)) return items as T[];
  throw new ConnectionError(`${what}: the answer is no list`, undefined);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
