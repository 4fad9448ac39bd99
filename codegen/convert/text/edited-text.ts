/** Changes members in the text of a YAML document. All other characters stay as they are. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { deepEqual } from '../../../runtime/schema/equal.ts';
import { isObject, type JsonObject } from '../../../runtime/schema/json/member.ts';
import { commentsIn, created, hasMerge, isSame, jsonOf, keyOf, layoutOf, memberChanges, READING } from './yaml-nodes.ts';

/**
 * @param wordsAlone whether only scalars may be changed
 * @returns undefined if the text cannot be changed so. The text may say something else than `value`; the caller has to find that out
 */
export function editedText(text: string, value: JsonObject, { wordsAlone = false } = {}): string | undefined {
  const document = parseDocument(text, READING);
  const editor = new TextEditor(text, document, wordsAlone);
  return editor.edit(document.contents, value) ? editor.finish() : undefined;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

class TextEditor {
  readonly #text: string;
  readonly #document: Document;
  readonly #wordsAlone: boolean;
  readonly #edits: Edit[] = [];

  constructor(text: string, document: Document, wordsAlone: boolean) {
    this.#text = text;
    this.#document = document;
    this.#wordsAlone = wordsAlone;
  }

  /** Applies changes from the end, so that earlier offsets stay valid. At one offset, inner insertions precede outer ones, and all precede replacements. */
  finish(): string {
    const isInsertion = ({ start, end }: Edit): number => Number(start === end);
    const edits = this.#edits.map((edit, index) => ({ edit, index }));
    edits.sort((a, b) => b.edit.start - a.edit.start || isInsertion(a.edit) - isInsertion(b.edit) || b.index - a.index);
    let text = this.#text;
    for (const { edit } of edits) text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
    return text;
  }

  /** @returns false if the node must be replaced as a whole; whoever does that takes back the edits below it */
  edit(node: unknown, value: unknown): boolean {
    if (node === null || node === undefined) return value === null;
    if (isAlias(node)) return deepEqual(jsonOf(this.#document, node), value);
    if (isScalar(node)) return this.#editScalar(node, value);
    if (!isCollection(node)) return false;
    // A change of an anchored value would change all places that refer to it.
    if (node.anchor !== undefined || (isMap(node) && hasMerge(node))) return deepEqual(jsonOf(this.#document, node), value);
    if (isMap(node) && isObject(value)) return node.flow === true ? this.#editFlow(node, value) : this.#editBlock(node, value);
    if (isSeq(node) && Array.isArray(value)) return this.#editItems(node, value) || (node.flow === true && this.#replaceFlow(node, value));
    return false;
  }

  #editScalar(node: Scalar, value: unknown): boolean {
    if (isSame(node.value, value)) return true;
    if (isObject(value) || Array.isArray(value) || node.anchor !== undefined || node.tag !== undefined || node.range == null) return false;
    const word = wordOf(value, node.type);
    if (word === undefined) return false;
    this.#edits.push({ start: node.range[0], end: node.range[1], text: word });
    return true;
  }

  #editItems(list: YAMLSeq, value: readonly unknown[]): boolean {
    return list.items.length === value.length && list.items.every((item, index) => this.edit(item, value[index]));
  }

  #editFlow(map: YAMLMap, value: JsonObject): boolean {
    const mark = this.#edits.length;
    const { renamed, gone, added } = memberChanges(this.#document, map, value);
    const isSameMembers = renamed.size + gone.length + added.length === 0;
    if (isSameMembers && map.items.every((pair) => this.edit(pair.value, value[keyOf(pair) ?? '']))) return true;
    this.#edits.length = mark;
    return this.#replaceFlow(map, value);
  }

  #replaceFlow(node: YAMLMap | YAMLSeq, value: unknown): boolean {
    if (this.#wordsAlone || node.range == null || hasCommentsWithin(node)) return false;
    const [start, end] = node.range;
    const flow = created(this.#document, value) as YAMLMap;
    flow.flow = true;
    const padding = /^[{[]\s/.test(this.#text.slice(start, end));
    this.#edits.push({ start, end, text: stringify(flow, { lineWidth: 0, flowCollectionPadding: padding }).trimEnd() });
    return true;
  }

  #editBlock(map: YAMLMap, value: JsonObject): boolean {
    const { renamed, gone, added } = memberChanges(this.#document, map, value);
    if (this.#wordsAlone && renamed.size + gone.length + added.length > 0) return false;
    if (gone.length === map.items.length && added.length === 0) return false;
    for (const pair of map.items) if (!gone.includes(pair) && !this.#editMember(pair, renamed.get(pair), value)) return false;
    const last = gone.at(-1);
    if (last !== undefined && added.length > 0) {
      const comments = gone.flatMap(({ value: old }) => commentsIn(old));
      this.#replacePair(last, this.#rendered(added, value, comments));
      return gone.every((pair) => pair === last || this.#removePair(pair, []));
    }
    if (last !== undefined) return gone.every((pair) => this.#removePair(pair, commentsIn(pair.value)));
    if (added.length > 0) this.#append(map, this.#rendered(added, value, []));
    return true;
  }

  #editMember(pair: Pair, renamed: string | undefined, value: JsonObject): boolean {
    const name = renamed ?? keyOf(pair);
    if (name === undefined || !isScalar(pair.key) || pair.key.range == null) return false;
    const mark = this.#edits.length;
    if (renamed !== undefined) {
      const word = wordOf(renamed, pair.key.type);
      if (word === undefined) return false;
      this.#edits.push({ start: pair.key.range[0], end: pair.key.range[1], text: word });
    }
    if (this.edit(pair.value, value[name])) return true;
    this.#edits.length = mark;
    if (this.#wordsAlone) return false;
    this.#replacePair(pair, this.#rendered([name], value, commentsIn(pair.value)));
    return true;
  }

  /** @returns the lines of members, without indentation */
  #rendered(names: readonly string[], value: JsonObject, comments: readonly string[]): string[] {
    const members = Object.fromEntries(names.map((name) => [name, value[name]]));
    const text = stringify(created(this.#document, members), { lineWidth: 0, ...layoutOf(this.#document, this.#text) });
    return [...comments.flatMap((comment) => comment.split('\n').map((line) => `#${line}`)), ...text.trimEnd().split('\n')];
  }

  #replacePair(pair: Pair, lines: readonly string[]): void {
    const { start, end, indent } = this.#regionOf(pair);
    this.#edits.push({ start, end, text: this.#lines(lines, indent).trimStart() + (this.#text[end - 1] === '\n' ? this.#lineBreak : '') });
  }

  /** @returns false if something else stands on the member's line */
  #removePair(pair: Pair, comments: readonly string[]): boolean {
    const { start, end, indent } = this.#regionOf(pair);
    const line = this.#text.lastIndexOf('\n', start - 1) + 1;
    if (this.#text.slice(line, start).trim() !== '') return false;
    const kept = comments.flatMap((comment) => comment.split('\n').map((each) => `#${each}`));
    this.#edits.push({ start: line, end, text: kept.length === 0 ? '' : this.#lines(kept, indent) + this.#lineBreak });
    return true;
  }

  #append(map: YAMLMap, lines: readonly string[]): void {
    const { end } = this.#regionOf(map.items.at(-1) as Pair);
    const { indent } = this.#regionOf(map.items[0] as Pair);
    const isEnded = this.#text[end - 1] === '\n';
    const text = this.#lines(lines, indent);
    this.#edits.push({ start: end, end, text: isEnded ? text + this.#lineBreak : this.#lineBreak + text });
  }

  get #lineBreak(): string {
    return this.#text.includes('\r\n') ? '\r\n' : '\n';
  }

  #lines(lines: readonly string[], indent: number): string {
    return lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line)).join(this.#lineBreak);
  }

  /** The range from the key to the end of the member's last line. */
  #regionOf(pair: Pair): { start: number; end: number; indent: number } {
    const [start] = (pair.key as Node).range as [number, number, number];
    const end = endOfPair(pair);
    const indent = start - (this.#text.lastIndexOf('\n', start - 1) + 1);
    // The range of a block text includes its last line break.
    if (this.#text[end - 1] === '\n') return { start, end, indent };
    const newline = this.#text.indexOf('\n', end);
    return { start, end: newline < 0 ? this.#text.length : newline + 1, indent };
  }
}

function endOfPair({ key, value }: Pair): number {
  const end = value === null ? undefined : endOf(value as Node);
  return end ?? ((key as Node).range as [number, number, number])[1] + 1;
}

function hasCommentsWithin({ items }: YAMLMap | YAMLSeq): boolean {
  return items.some((item) => (isPair(item) ? [item.key, item.value] : [item]).some((node) => commentsIn(node).length > 0));
}

/** A block ends with its last value; what comes after that belongs to others. */
function endOf(node: Node): number | undefined {
  if (node.range == null) return undefined;
  if (!isCollection(node) || node.flow === true) return node.range[1];
  const last = node.items.at(-1);
  if (isPair(last)) return endOfPair(last);
  return (last === null || last === undefined ? undefined : endOf(last as Node)) ?? node.range[1];
}

function wordOf(value: unknown, type: Scalar.Type | undefined | null): string | undefined {
  if (typeof value === 'string' && type === Scalar.QUOTE_SINGLE && !/[\n\r]/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  if (type !== Scalar.PLAIN && type !== Scalar.QUOTE_DOUBLE && type !== Scalar.QUOTE_SINGLE) return undefined;
  return type === Scalar.PLAIN && typeof value === 'string' && /^[A-Za-z][\w./-]*$/.test(value) ? value : JSON.stringify(value);
}
