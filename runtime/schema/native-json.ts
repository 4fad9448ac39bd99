/**
 * `JSON.parse` for texts that come from outside. V8 from 13.6 on (Node 24 to 26.10) mistakes member names: once a text was parsed that has an object
 * with a backslash in a member's name, another object that begins with the same members may get that name in place of one that is written with
 * an escape, and so may the objects of everybody else in the process. So names with a backslash in them are never shown to V8's parser.
 */
import { parseExactly } from './json-exact.ts';

/** Where a backslash is meant, in a text without the other ways to write one. */
const ESCAPED = '\\\\';
const BY_NUMBER = /\\u005c/i;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Whether a member has a backslash in its name. Most texts cost two looks for a few characters; time is linear in the length.
 * @param text what it says of invalid JSON does not matter
 */
export function hasBackslashName(text: string): boolean {
  if (!text.includes(ESCAPED) && !(text.includes('\\u') && BY_NUMBER.test(text))) return false;
  let hasBackslash = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // the string before it, whatever space lies between, was a name
    if (code === COLON && hasBackslash) return true;
    if (code !== QUOTE) continue;
    hasBackslash = false;
    for (i++; i < text.length && text.charCodeAt(i) !== QUOTE; i++)
      if (text.charCodeAt(i) === BACKSLASH && meansBackslash(text.charCodeAt(++i), () => text.slice(i + 1, i + 5))) hasBackslash = true;
  }
  return false;
}

const U = 0x75;

/** @param escaped code of the character behind a backslash. @param digits the four behind that */
export function meansBackslash(escaped: number | undefined, digits: () => string): boolean {
  return escaped === BACKSLASH || (escaped === U && digits().toLowerCase() === '005c');
}

/**
 * What a text says, of a form that the caller knows or makes sure of. Where a member has a backslash in its name, numbers that JavaScript does not give back are raw numbers, as of `parseJson`.
 * @param parse what parses all other texts
 * @throws SyntaxError, JsonSyntaxError
 */
export function parseNativeJson<T>(text: string, parse: (text: string) => unknown = JSON.parse): T {
  return (hasBackslashName(text) ? parseExactly(text).value : parse(text)) as T;
}
