/** What a Content-Type header names, read as 1.32 reads it (RFC 2045 section 5.1). */

const TOKEN = "[!#$%&'*+.^_`{|}~\\w-]+";
const QUOTED = '"(?:[^"\\\\\\r\\n]|\\\\["\\\\()<>@,;:/[\\]?=]|\\\\(?!["\\\\()<>@,;:/[\\]?=]))*"';
const PARAMETER = new RegExp(`\\s*;\\s*(${TOKEN})\\s*=\\s*(${TOKEN}|${QUOTED})`, 'y');
const ESCAPED = /\\(["\\()<>@,;:/[\]?=])/g;

/** @returns the type in lower case; undefined for parameters that cannot be read, or that say different things of one name */
export function mediaTypeOf(header: string): string | undefined {
  // once: blanks behind many parameters would be passed over after each of them
  const text = header.trimEnd();
  const end = text.indexOf(';');
  if (end < 0) return text.trimStart().toLowerCase();
  return hasParameters(text, end) ? text.slice(0, end).trim().toLowerCase() : undefined;
}

/** Whether parameters follow from `start` on, to the end, which is no blank; a last semicolon may stand alone. */
function hasParameters(header: string, start: number): boolean {
  const seen = new Map<string, string>();
  let at = start;
  while (at < header.length) {
    PARAMETER.lastIndex = at;
    const [whole, name = '', text = ''] = PARAMETER.exec(header) ?? [];
    if (whole === undefined) return header.slice(at).trim() === ';';
    const key = name.toLowerCase();
    const value = text.startsWith('"') ? text.slice(1, -1).replace(ESCAPED, '$1') : text;
    if ((seen.get(key) ?? value) !== value) return false;
    seen.set(key, value);
    at += whole.length;
  }
  return true;
}
