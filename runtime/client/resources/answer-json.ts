/** Reads JSON answers of a server. */
import { parseJson } from '../objects/json.ts';
import { ConnectionError } from '../transport/transport.ts';

/**
 * @param what of the request, for the error
 * @throws ConnectionError for text that is not a JSON object, such as the page of a proxy in between
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
 * Gives the items of a list. Servers may send null for an empty list.
 * @param what of the request, for the error
 * @throws ConnectionError for an answer that is not a list: as an empty list it would mean that all objects were deleted
 */
export function itemsOf<T>({ items }: { readonly items?: unknown }, what: string): T[] {
  if (items === null) return [];
  if (Array.isArray(items) && items.every(isObject)) return items as T[];
  throw new ConnectionError(`${what}: the answer is no list`, undefined);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
