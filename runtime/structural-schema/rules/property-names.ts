/** The names of properties in expressions (specification: Expression language, escapes of property names). */

const KEYWORDS = 'true false null in as break const continue else for function if import let loop package namespace return var void while';
const RESERVED: ReadonlySet<string> = new Set(KEYWORDS.split(' '));
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ACCESSIBLE = /^[A-Za-z_./-][A-Za-z0-9_./-]*$/;
const ESCAPES: Readonly<Record<string, string>> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };
const CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ESCAPES).map(([plain, escaped]) => [escaped, plain]),
);
const ESCAPED = /__(?:underscores|dot|dash|slash)__/g;
const ESCAPED_KEYWORD = /^__([a-z]+)__$/;

/** Whether the word is reserved, but may be the name of a field. */
export const isFieldWord = (name: string): boolean => RESERVED.has(name) && !['true', 'false', 'null', 'in'].includes(name);

/** @returns undefined for a name that expressions cannot have */
export function escapeProperty(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!ACCESSIBLE.test(name)) return undefined;
  return IDENTIFIER.test(name) && !name.includes('__') ? name : name.replace(/__|[./-]/g, (part) => ESCAPES[part] as string);
}

/** The property with the given name in expressions. */
export function unescapeProperty(name: string): string {
  if (!name.includes('__')) return name;
  const keyword = ESCAPED_KEYWORD.exec(name)?.[1];
  if (keyword !== undefined && RESERVED.has(keyword)) return keyword;
  return name.replace(ESCAPED, (escaped) => CHARACTERS[escaped] as string);
}
