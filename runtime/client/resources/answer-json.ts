/** What a server answers, as JSON. */
import { parseJson } from '../objects/json.ts';
import { ConnectionError } from '../transport/transport.ts';

/**
 * @param what of the request, for the error
 * @throws ConnectionError for what is no JSON, such as a page of a proxy that stands in between
 */
export function answerOf<T>(text: string, what: string): T {
  try {
    return parseJson<T>(text);
  } catch (error) {
    throw new ConnectionError(`${what}: the answer is no JSON: ${(error as Error).message}`, error);
  }
}
