/** Parses paths to members of a schema, such as `.spec.size` and `.labels['a.b']`. */
import type { CustomSchema } from './custom-schema.ts';

/** Matches delimiters, texts in single quotes, even if they are not closed, and the text between. */
const TOKEN = /[.[\]]|'.*?(?<!\\)'|'.*|[^.[\]]+/gs;
const NOTHING = 'does not refer to a valid field';
const TOO_SHORT = 'unexpected end of JSON path';

export type MemberPath =
  | {
      /** names of members, and keys of maps */
      readonly steps: readonly string[];
      /** the path in errors, such as `spec.size` and `labels[a.b]` */
      readonly field: string;
      /** schema of the member, or of the values of a map; undefined: it is not described */
      readonly schema: CustomSchema | undefined;
    }
  | { readonly problem: string };

/** @param allowsBrackets whether steps such as `['a.b']` are accepted */
export function memberPath(schema: CustomSchema, path: string, allowsBrackets = true): MemberPath {
  const tokens = path.match(TOKEN) ?? [];
  const steps: string[] = [];
  let at: CustomSchema | undefined = schema;
  let field = '';
  for (let i = 0; i < tokens.length; i++) {
    const start = tokens[i] as string;
    if (start !== '.' && start !== '[') return { problem: `expected [ or . but got: ${start}` };
    if (start === '[' && !allowsBrackets) return { problem: 'array notation is not allowed' };
    const token = tokens[++i];
    if (token === undefined) return { problem: TOO_SHORT };
    const name = start === '.' ? token : quotedText(token);
    if (typeof name !== 'string') return name;
    const next: CustomSchema | true | undefined = memberOf(at, name);
    if (next === undefined) return { problem: NOTHING };
    const isDeclared = Object.hasOwn(at?.properties ?? {}, name);
    field = isDeclared ? `${field === '' ? '' : `${field}.`}${name}` : `${field}[${name}]`;
    at = next === true ? undefined : next;
    steps.push(name);
    if (start === '.') continue;
    const end = tokens[++i];
    if (end !== ']') return { problem: end === undefined ? TOO_SHORT : `expected ] but got ${end}` };
  }
  return { steps, field, schema: at };
}

const QUOTED = /^'(.*)'$/s;
const ESCAPE = /\\([^\n])/gu;
const ESCAPED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

function quotedText(token: string): string | { readonly problem: string } {
  const [, quoted] = QUOTED.exec(token) ?? [];
  if (quoted === undefined || token.length < 2) return { problem: `expected single quoted string but got ${token}` };
  let unknown: string | undefined;
  const text = quoted.replace(ESCAPE, (sequence, letter: string) => {
    const meant = ESCAPED[letter];
    if (meant === undefined) unknown = sequence;
    return meant ?? '';
  });
  return unknown === undefined ? text : { problem: `invalid string literal: invalid escape char ${unknown}` };
}

/** @returns true for a member that is not described; undefined if there is no such member */
function memberOf(schema: CustomSchema | undefined, name: string): CustomSchema | true | undefined {
  const { properties = {}, additionalProperties: others } = schema ?? {};
  if (Object.keys(properties).length > 0) return Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (others === undefined) return undefined;
  return typeof others === 'object' ? others : true;
}
