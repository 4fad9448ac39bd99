/**
 * Names of members with a backslash, which V8 from 13.6 on (Node 24 to 26.10) mistakes for others: where `JSON.parse` meets a name that is written
 * with an escape, and an object with the same members before it once had a name that equals the beginning of how that one is written, it
 * gives that name. The beginning has the escape in it, so a name that is mistaken always has a backslash. It does not matter who gave the name to
 * an object, the parser or an assignment, nor whose objects they are.
 */

/** Where a backslash is meant, in a text without the other ways to write one. */
const ESCAPED = '\\\\';
const BY_NUMBER = /\\u005c/i;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Whether any object of this process may have had a name with a backslash. */
let haveBeen = false;

/** For whoever gives objects names from outside that do not come from a text of `hasBackslashName`. */
export function noteName(name: string): void {
  if (!haveBeen && name.includes('\\')) haveBeen = true;
}

/**
 * Whether a member has a backslash in its name, which is noted. Most texts cost two looks for a few characters; time is linear in the length.
 * @param text what it says of invalid JSON does not matter
 */
export function hasBackslashName(text: string): boolean {
  if (!text.includes(ESCAPED) && !(text.includes('\\u') && BY_NUMBER.test(text))) return false;
  let hasBackslash = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    // the string before it, whatever space lies between, was a name
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

/** @param escaped code of the character behind a backslash. @param digits the four behind that */
export function meansBackslash(escaped: number | undefined, digits: () => string): boolean {
  return escaped === BACKSLASH || (escaped === U && digits().toLowerCase() === '005c');
}

/**
 * Whether V8 has mistaken a name. Costs nothing as long as no name with a backslash was there, and a fifth of the parsing afterwards.
 * @param text without such a name
 * @param value what `JSON.parse` makes of it
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
