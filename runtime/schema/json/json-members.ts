/**
 * Finds members in JSON bytes that this server has written, and skips their values without parsing them, for callers that need little of
 * long objects. It does not recurse. Its result for invalid JSON does not matter, but it always ends.
 */

/** Offsets of the first byte of a value and of the byte after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Member extends Span {
  /** the text between the quotes; escapes and characters beyond ASCII are not decoded */
  readonly name: string;
  /** offset of the quote before the name */
  readonly nameStart: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/** @param at offset of an opening brace; another value has no members */
export function* membersOf(json: Buffer, at = 0): Generator<Member, void> {
  if (json[at] !== 0x7b) return;
  for (let i = afterSpace(json, at + 1); json[i] === QUOTE; ) {
    const nameStart = i;
    const nameEnd = afterString(json, i);
    const start = afterSpace(json, afterSpace(json, nameEnd) + 1);
    const end = afterValue(json, start);
    yield { name: json.toString('latin1', nameStart + 1, nameEnd - 1), nameStart, start, end };
    i = afterSpace(json, end);
    if (json[i] !== COMMA) return;
    i = afterSpace(json, i + 1);
  }
}

/** @param at offset of an opening bracket; another value has no elements */
export function* elementsOf(json: Buffer, at = 0): Generator<Span, void> {
  if (json[at] !== 0x5b) return;
  for (let start = afterSpace(json, at + 1); start < json.length && json[start] !== 0x5d; ) {
    const end = afterValue(json, start);
    yield { start, end };
    const next = afterSpace(json, end);
    if (json[next] !== COMMA) return;
    start = afterSpace(json, next + 1);
  }
}

/** @param at offset of the object */
export function memberOf(json: Buffer, name: string, at = 0): Member | undefined {
  for (const member of membersOf(json, at)) if (member.name === name) return member;
  return undefined;
}

/** The members that are left out of an object, by their names; `*` stands for each element of a list. */
export type Omitted = { readonly [name: string]: true | Omitted };

/** Is called for each member of objects that may lack members. @param within names of the enclosing members, each followed by a dot */
type Told = (within: string, member: Member) => void;

/** The text of an object without some of its members. It reads each byte once. */
export function textWithout(json: Buffer, omitted: Omitted, told?: Told): string {
  const parts: string[] = [];
  addWithout(json, 0, omitted, { parts, told, within: '' });
  return parts.join('');
}

interface Walk {
  readonly parts: string[];
  readonly told: Told | undefined;
  readonly within: string;
}

/** @returns offset of the byte after the value */
function addWithout(json: Buffer, at: number, omitted: Omitted, walk: Walk): number {
  const { '*': ofElements } = omitted;
  if (json[at] === 0x7b) return addObjectWithout(json, at, omitted, walk);
  if (json[at] === 0x5b && typeof ofElements === 'object') return addListWithout(json, at, ofElements, walk);
  const end = afterValue(json, at);
  walk.parts.push(json.toString('utf8', at, end));
  return end;
}

function addObjectWithout(json: Buffer, at: number, omitted: Omitted, walk: Walk): number {
  const { parts, told, within: around } = walk;
  let separator = '{';
  let i = afterSpace(json, at + 1);
  while (json[i] === QUOTE) {
    const nameEnd = afterString(json, i);
    const name = json.toString('latin1', i + 1, nameEnd - 1);
    const start = afterSpace(json, afterSpace(json, nameEnd) + 1);
    const within = Object.hasOwn(omitted, name) ? omitted[name] : undefined;
    let end: number;
    if (within === true) end = afterValue(json, start);
    else {
      parts.push(separator);
      separator = ',';
      if (within === undefined) {
        end = afterValue(json, start);
        parts.push(json.toString('utf8', i, end));
      } else {
        parts.push(json.toString('utf8', i, start));
        end = addWithout(json, start, within, told === undefined ? walk : { ...walk, within: `${around}${name}.` });
      }
    }
    told?.(around, { name, nameStart: i, start, end });
    i = afterSpace(json, end);
    if (json[i] === COMMA) i = afterSpace(json, i + 1);
  }
  parts.push(separator === '{' ? '{}' : '}');
  return i + 1;
}

function addListWithout(json: Buffer, at: number, ofElements: Omitted, walk: Walk): number {
  const { parts } = walk;
  let separator = '[';
  let i = afterSpace(json, at + 1);
  while (i < json.length && json[i] !== 0x5d) {
    parts.push(separator);
    separator = ',';
    i = afterSpace(json, addWithout(json, i, ofElements, walk));
    if (json[i] !== COMMA) break;
    i = afterSpace(json, i + 1);
  }
  parts.push(separator === '[' ? '[]' : ']');
  return i + 1;
}

function afterSpace(json: Buffer, at: number): number {
  let i = at;
  while (json[i] === 0x20 || json[i] === 0x0a || json[i] === 0x0d || json[i] === 0x09) i++;
  return i;
}

/** @param at offset of the opening quote @returns the offset after the closing one */
export function afterString(json: Buffer, at: number): number {
  const near = Math.min(json.length, at + NEAR);
  let i = at + 1;
  for (; i < near; i++) {
    const byte = json[i];
    if (byte === QUOTE) return i + 1;
    if (byte === BACKSLASH) i++;
  }
  return i < json.length ? afterLongString(json, i) : json.length;
}

/** How many bytes of a string are compared one by one before a native search, whose call costs about as much. */
const NEAR = 128;

/** @param start offset within the string */
function afterLongString(json: Buffer, start: number): number {
  for (let from = start; ; ) {
    const end = json.indexOf(QUOTE, from);
    if (end < 0) return json.length;
    let escapes = 0;
    while (end - escapes > from && json[end - escapes - 1] === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end + 1;
    from = end + 1;
  }
}

function afterValue(json: Buffer, at: number): number {
  const { length } = json;
  if (json[at] === QUOTE) return afterString(json, at);
  let depth = 0;
  for (let i = at; i < length; ) {
    const byte = json[i] as number;
    if (byte === QUOTE) {
      i = afterString(json, i);
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) depth++;
    else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return i;
      if (--depth === 0) return i + 1;
    } else if (depth === 0 && (byte === COMMA || byte === COLON || byte <= 0x20)) return i;
    i++;
  }
  return length;
}
