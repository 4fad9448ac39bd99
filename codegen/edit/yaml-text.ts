/**
 * A YAML file that people wrote, changed in single places: comments and layout of everything else stay as they are. What is written stands on one line
 * (`{ a: b }`), in the style of the schemas.
 */
import { isCollection, isMap, isNode, isPair, isScalar, isSeq, type Node, type Pair, parse, parseDocument, type YAMLMap } from 'yaml';
import { isObject } from '../read/sources.ts';

/** Names of members, and indexes or the `name` of elements of lists. */
export type YamlPath = readonly (string | number)[];

/** Each edit changes the text at once, so `text` always has all edits so far. */
export class YamlText {
  #text: string;

  /** @throws Error for text that is not YAML */
  constructor(text: string) {
    this.#text = text;
    this.#root();
  }

  get text(): string {
    return this.#text;
  }

  /** @returns the value at the path as plain data; undefined if there is none */
  get(path: YamlPath): unknown {
    const node = this.#at(path);
    return isNode(node) ? node.toJS(parseDocument(this.#text)) : undefined;
  }

  /**
   * Sets a member; one that is new comes last.
   * @throws Error if there is no map for it
   */
  set(path: YamlPath, value: unknown): void {
    const [holder, key] = this.#holderOf(path);
    const pair = pairOf(holder, key);
    const text = flowText(value);
    if (pair !== undefined) this.#setValue(pair, text);
    else this.#insert(holder, `${keyText(key)}: ${text}`);
  }

  /**
   * Removes a member, if it exists.
   * @throws Error if there is no map for it
   */
  remove(path: YamlPath): void {
    const [holder, key] = this.#holderOf(path);
    const pair = pairOf(holder, key);
    if (pair === undefined) return;
    const [start] = (pair.key as Node).range as [number, number, number];
    const [, end] = valueRange(pair);
    if (holder.flow) return this.#removeFlow(holder, start, end);
    const lineStart = this.#text.lastIndexOf('\n', start) + 1;
    this.#replace(lineStart, lineEnd(this.#text, end), '');
  }

  /**
   * Removes a member.
   * @returns its lines, indented relative to the member; undefined if there is no such member
   * @throws Error if there is no map for it
   */
  cut(path: YamlPath): string | undefined {
    const [holder, key] = this.#holderOf(path);
    const pair = pairOf(holder, key);
    if (pair === undefined) return undefined;
    const [start] = (pair.key as Node).range as [number, number, number];
    const [, end] = valueRange(pair);
    const indent = columnOf(this.#text, start);
    const lines = this.#text.slice(start, end).trimEnd().split('\n');
    this.remove(path);
    return lines
      .map((line, index) => (index === 0 ? line : line.slice(Math.min(indent, line.length - line.trimStart().length))))
      .join('\n');
  }

  /**
   * Adds a member that `cut` has returned.
   * @throws Error if there is no map for it
   */
  paste(path: YamlPath, member: string): void {
    const holder = this.#at(path);
    if (!isMap(holder)) throw new Error(`${path.join('.')} is no map`);
    const isWithinLine = path.some((_step, index) => (this.#at(path.slice(0, index)) as { flow?: boolean } | undefined)?.flow === true);
    if (isWithinLine) {
      for (const [key, value] of Object.entries(parse(member) as object)) this.set([...path, key], value);
      return;
    }
    if (holder.flow) this.#toBlock(path);
    this.#insert(this.#at(path) as YAMLMap, member);
  }

  #root(): unknown {
    const document = parseDocument(this.#text);
    const [problem] = document.errors;
    if (problem !== undefined) throw new Error(problem.message);
    return document.contents;
  }

  #at(path: YamlPath): unknown {
    return path.reduce<unknown>((node, step) => {
      if (isMap(node)) return node.get(step, true);
      if (!isSeq(node)) return undefined;
      return typeof step === 'number' ? node.items[step] : node.items.find((item) => isMap(item) && item.get('name') === step);
    }, this.#root());
  }

  #holderOf(path: YamlPath): [holder: YAMLMap, key: string] {
    const holder = this.#at(path.slice(0, -1));
    if (!isMap(holder)) throw new Error(`${path.slice(0, -1).join('.')} is no map`);
    return [holder, String(path.at(-1))];
  }

  /** A text in a block ends with its last line break, which stays. */
  #setValue(pair: Pair, text: string): void {
    const [start, end] = valueRange(pair);
    const separator = this.#text[start - 1] === ':' ? ' ' : '';
    this.#replace(start, end, `${separator}${text}${start < end && this.#text[end - 1] === '\n' ? '\n' : ''}`);
  }

  #replace(start: number, end: number, text: string): void {
    this.#text = this.#text.slice(0, start) + text + this.#text.slice(end);
  }

  #insert(holder: YAMLMap, member: string): void {
    const last = holder.items.at(-1);
    const [start, end] = (holder as Node).range as [number, number, number];
    if (holder.flow) {
      const close = end - 1;
      const before = this.#text.slice(start + 1, close).trimEnd();
      const at = start + 1 + before.length;
      const separator = before === '' ? ' ' : before.endsWith(',') ? ' ' : ', ';
      return this.#replace(at, close, `${separator}${member} `);
    }
    const first = holder.items[0];
    if (first === undefined || last === undefined) throw new Error('the map is empty');
    const indent = ' '.repeat(columnOf(this.#text, ((first.key as Node).range as [number, number, number])[0]));
    const at = lineEnd(this.#text, valueRange(last)[1]);
    const lines = member.split('\n').map((line) => `${indent}${line}`);
    this.#replace(at, at, `${this.#text[at - 1] === '\n' ? '' : '\n'}${lines.join('\n')}\n`);
  }

  #removeFlow(holder: YAMLMap, start: number, end: number): void {
    const [open, close] = (holder as Node).range as [number, number, number];
    const after = /^\s*,\s*/.exec(this.#text.slice(end, close - 1));
    if (after !== null) return this.#replace(start, end + after[0].length, '');
    const before = /\s*,?\s*$/.exec(this.#text.slice(open + 1, start)) as RegExpExecArray;
    this.#replace(start - before[0].length, end, '');
  }

  /** Turns a map on one line into one with a line for each member. */
  #toBlock(path: YamlPath): void {
    const holder = this.#at(path) as YAMLMap;
    const [start, end] = (holder as Node).range as [number, number, number];
    const line = this.#text.lastIndexOf('\n', start) + 1;
    const indent = ' '.repeat(columnOf(this.#text, line + (this.#text.slice(line).length - this.#text.slice(line).trimStart().length)) + 2);
    const members = holder.items.map((pair) => {
      const [from] = (pair.key as Node).range as [number, number, number];
      return this.#text.slice(from, valueRange(pair)[1]).trimEnd();
    });
    const at = start - (/\s*$/.exec(this.#text.slice(0, start)) as RegExpExecArray)[0].length;
    this.#replace(at, end, `\n${members.map((member) => `${indent}${member}`).join('\n')}`);
  }
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isPair(pair) && isScalar(pair.key) && String(pair.key.value) === key);
}

/** The range of a collection in block style ends with its last value; what comes after that belongs to others. */
function valueRange(pair: Pair): [start: number, end: number] {
  const node = pair.value as Node | null;
  const [, keyEnd] = (pair.key as Node).range as [number, number, number];
  if (node?.range == null) return [keyEnd + 1, keyEnd + 1];
  return [node.range[0], endOf(node)];
}

function endOf(node: Node): number {
  const end = (node.range as [number, number, number])[1];
  if (!isCollection(node) || node.flow === true) return end;
  const last = node.items.at(-1);
  if (isPair(last)) return valueRange(last)[1];
  return isNode(last) ? endOf(last) : end;
}

function lineEnd(text: string, from: number): number {
  // A text in a block ends with its last line break.
  if (text[from - 1] === '\n') return from;
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

const PLAIN = /^(?:\.\.\/)?[A-Za-z_$][A-Za-z0-9_$.<>/ -]*$/;
const OTHERWISE_READ = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

function keyText(key: string): string {
  return isPlain(key) ? key : JSON.stringify(key);
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !OTHERWISE_READ.test(text) && !text.endsWith(' ');
}

/** Writes a value on one line, in the style of the schemas. */
export function flowText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(flowText).join(', ')} ]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, member]) => `${keyText(key)}: ${flowText(member)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  return keyText(value);
}
