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
  if (typeof answer === 'object' && answer !== null) return answer as T;
  throw new ConnectionError(`${what}: the answer is no object`, undefined);
}
