/** `JSON.parse` for texts that come from outside, with the names that they have: V8 mistakes some (backslash-names.ts). */
import { hasBackslashName, isMistaken } from './backslash-names.ts';
import { parseExactly } from './json-exact.ts';

/**
 * What a text says, of a form that the caller knows or makes sure of. Where a member has a backslash in its name, or V8 would give it one, numbers
 * that JavaScript does not give back are raw numbers, as of `parseJson`.
 * @param parse what parses all other texts
 * @throws SyntaxError, JsonSyntaxError
 */
export function parseNativeJson<T>(text: string, parse: (text: string) => unknown = JSON.parse): T {
  if (hasBackslashName(text)) return parseExactly(text).value as T;
  const value = parse(text);
  return (isMistaken(text, value) ? parseExactly(text).value : value) as T;
}
