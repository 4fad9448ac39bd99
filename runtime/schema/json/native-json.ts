/** Replaces `JSON.parse` for texts from outside, because V8 confuses some names (backslash-names.ts). */
import { hasBackslashName, isMistaken } from './backslash-names.ts';
import { parseExactly } from './json-exact.ts';

/**
 * Parses a text that the caller knows or checks to be of a form. If a member has a backslash in its name, or V8 would give it one, numbers
 * that JavaScript cannot hold exactly are raw numbers, as in `parseJson`.
 * @param parse parses all other texts
 * @throws SyntaxError, JsonSyntaxError
 */
export function parseNativeJson<T>(text: string, parse: (text: string) => unknown = JSON.parse): T {
  if (hasBackslashName(text)) return parseExactly(text).value as T;
  const value = parse(text);
  return (isMistaken(text, value) ? parseExactly(text).value : value) as T;
}
