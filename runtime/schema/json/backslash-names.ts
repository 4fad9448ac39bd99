/**
 * Works around a bug of V8 13.6 and later (Node 24 to 26.10) that concerns names of members with a backslash. `JSON.parse` may give a
 * member the name of another one: if the name is written with an escape, and an earlier object with the same preceding members had a name
 * that equals the beginning of the escaped spelling. That beginning contains the escape, so the wrong name always has a backslash. It does
 * not matter who made the earlier object, the parser or an assignment.
 */

/** A name has a backslash where it is written as `\\` or `\u005c`. */
const ESCAPED = '\\\\';
const BY_NUMBER = /\\u005c/i;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** whether any object of this process may have had such a name */
let haveBeen = false;

/** Must be called for names from outside, unless they come from a text that `hasBackslashName` has seen. */
export function noteName(name: string): void {
  if (!haveBeen && name.includes('\\')) haveBeen = true;
}

/**
 * Whether a member has a backslash in its name, which is then remembered. Most texts need only two searches; the time is linear in the
 * length.
 * @param text JSON; the result for invalid JSON does not matter
 */
export function hasBackslashName(text: string): boolean {
  if (!text.includes(ESCAPED) && !(text.includes('\\u') && BY_NUMBER.test(text))) return false;
  let hasBackslash = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // the string before a colon, whatever space lies between, is a name
    if (code === COLON && hasBackslash) {
      haveBeen = true;
      return true;
    }
    if (code !== QUOTE) continue;
    hasBackslash = false;
    for (i++; i < text.length && text.charCodeAt(i) !== QUOTE; i++)
      if (text.charCodeAt(i) === BACKSLASH && meansBackslash(text.charCodeAt(++i), () => text.slice(i + 1, i + 5))) hasBackslash = true;
  }
  return false;
}

const U = 0x75;

/** @param escaped code of the character after a backslash @param digits returns the four characters after that one */
export function meansBackslash(escaped: number | undefined, digits: () => string): boolean {
  return escaped === BACKSLASH || (escaped === U && digits().toLowerCase() === '005c');
}

/**
 * Whether V8 has confused a name. It costs nothing until the process has seen a name with a backslash, and a fifth of the parsing
 * afterwards.
 * @param text JSON without such a name
 * @param value what `JSON.parse` has made of the text
 */
export function isMistaken(text: string, value: unknown): boolean {
  return haveBeen && text.includes('\\') && hasMemberWithBackslash(value);
}

function hasMemberWithBackslash(value: unknown): boolean {
  const pending: unknown[] = [];
  const leave = (member: unknown): void => {
    if (typeof member === 'object' && member !== null) pending.push(member);
  };
  leave(value);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) next.forEach(leave);
    else
      for (const name in next as object) {
        if (name.includes('\\')) return true;
        leave((next as Readonly<Record<string, unknown>>)[name]);
      }
  }
  return false;
}
