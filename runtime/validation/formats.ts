/** The named formats by their names alone, whatever form of value they are of. */
import { formats, joinedFormats, numberFormats, numberOrTextFormats } from '../formats/named-formats.ts';

/** What is wrong, and with which part of the value: mostly all of it. */
interface FormatFinding {
  readonly part: unknown;
  readonly message: string;
}

const tables = { formats, numberFormats, numberOrTextFormats, joinedFormats };

/** @returns the name of the export of `named-formats.ts` that has the format; undefined where there is none of that name */
export function formatTableOf(name: string): keyof typeof tables | undefined {
  return (Object.keys(tables) as (keyof typeof tables)[]).find((table) => Object.hasOwn(tables[table], name));
}

/** Whether findings of the format are of parts of a value. */
export function isJoinedFormat(name: string): boolean {
  return formatTableOf(name) === 'joinedFormats';
}

/** @throws Error for a name that no format has */
export function formatNamed(name: string): (value: unknown) => readonly FormatFinding[] {
  const table = formatTableOf(name);
  if (table === undefined) throw new Error(`there is no format ${name}`);
  const check = (tables[table] as Record<string, (value: unknown) => readonly (string | FormatFinding)[]>)[name];
  return (value) => (check?.(value) ?? []).map((found) => (typeof found === 'string' ? { part: value, message: found } : found));
}
