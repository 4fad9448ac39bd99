import { compileError } from './syntax.ts';
import { Uint, type Value } from './types.ts';

export interface Token {
  readonly kind: 'name' | 'literal' | 'symbol' | 'end';
  readonly text: string;
  readonly value: Value;
  readonly at: number;
}

const SPACE = /(?:[\t\n\f\r ]+|\/\/[^\n]*)+/y;
const NUMBER = /0x[0-9a-fA-F]+u?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+u?/iy;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** A backslash hides the character behind it, but in raw texts, where it is one like others. */
const STRING =
  /(?:[rR][bB]?|[bB][rR])(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|[bB]?(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n\r]|\\[^\n\r])*"|'(?:[^'\\\n\r]|\\[^\n\r])*')/y;
const SYMBOL = /&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]/y;
const MAX_INT = 2n ** 63n;

/** @throws CompileError */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  for (;;) {
    at += take(SPACE)?.length ?? 0;
    if (at >= source.length) return [...tokens, { kind: 'end', text: '<EOF>', value: null, at }];
    const quoted = take(STRING);
    const number = quoted === undefined ? take(NUMBER) : undefined;
    const text = quoted ?? number ?? take(NAME) ?? take(SYMBOL);
    if (text === undefined) throw compileError(source, at, `Syntax error: token recognition error at: '${source[at]}'`);
    if (quoted !== undefined) tokens.push({ kind: 'literal', text, value: stringValue(source, text, at), at });
    else if (number !== undefined) tokens.push({ kind: 'literal', text, value: numberValue(source, text, at), at });
    else tokens.push({ kind: /^\w/.test(text) ? 'name' : 'symbol', text, value: null, at });
    at += text.length;
  }
}

/** The value 2^63 passes here, because the parser takes it behind a sign, and refuses it elsewhere. */
function numberValue(source: string, text: string, at: number): Value {
  const hexadecimal = /^0x/i.test(text);
  if (!hexadecimal && /[.eE]/.test(text)) return Number(text);
  const unsigned = /u$/i.test(text);
  const value = BigInt(unsigned ? text.slice(0, -1) : text);
  if (value > (unsigned ? 2n * MAX_INT - 1n : MAX_INT)) throw compileError(source, at, `invalid ${unsigned ? 'u' : ''}int literal`);
  return unsigned ? new Uint(value) : value;
}

const ESCAPE_PARTS = /(\\(?:[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[\s\S]))/;
/** ESCAPE reads one part that ESCAPE_PARTS found; it does not match where the language has no such escape. */
const ESCAPE = /^\\(?:[xX](?<hex>\w{2})|[uU](?<point>\w{4,8})|(?<octal>\d{3})|(?<simple>[abfnrtv\\"'`?]))$/;
const SIMPLE: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function stringValue(source: string, text: string, at: number): Value {
  const prefix = /^[bBrR]*/.exec(text)?.[0].toLowerCase() as string;
  const quoted = text.slice(prefix.length);
  const marks = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1;
  const inner = quoted.slice(marks, -marks);
  const isBytes = prefix.includes('b');
  if (prefix.includes('r')) return isBytes ? new TextEncoder().encode(inner) : inner;
  const parts = inner.split(ESCAPE_PARTS).map((part, index) => (index % 2 === 0 ? part : unescaped(source, part, at, isBytes)));
  return isBytes ? Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))) : parts.join('');
}

/** In bytes, octal and hexadecimal escapes are single bytes, and code points have no escapes. */
function unescaped(source: string, sequence: string, at: number, isBytes: boolean): string | Uint8Array {
  const { hex, point, octal, simple } = ESCAPE.exec(sequence)?.groups ?? {};
  if (simple !== undefined) return isBytes ? Buffer.from(SIMPLE[simple] ?? simple) : (SIMPLE[simple] ?? simple);
  const isByte = hex !== undefined || octal !== undefined;
  if (!isByte && (point === undefined || isBytes)) throw compileError(source, at, `invalid escape sequence ${sequence.slice(0, 2)}`);
  const code = octal === undefined ? Number.parseInt((hex ?? point) as string, 16) : Number.parseInt(octal, 8);
  if (isBytes) return Uint8Array.of(code);
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw compileError(source, at, 'invalid unicode code point');
  return String.fromCodePoint(code);
}
