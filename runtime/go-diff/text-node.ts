/**
 * A tree of text that is laid out on one line where it may be, on many where it must: what shows a change, and what is long and is shown as
 * removed or inserted. Members of a list that stand on lines of their own have their values aligned.
 */

/** Which side a line belongs to: a blank and '' are both sides, and '' leaves it to what is around it. */
export type Sign = '' | ' ' | '-' | '+';

/** A string is a line. */
export type TextNode = string | TextWrap | TextList;

export interface TextWrap {
  readonly prefix: string;
  readonly value: TextNode;
  readonly suffix: string;
}

export interface TextList {
  readonly records: readonly TextRecord[];
}

export interface TextRecord {
  readonly sign: Sign;
  /** '' for none */
  readonly key: string;
  readonly value: TextNode;
  readonly elidesComma?: boolean;
  /** what stands behind it; forces lines */
  readonly comment?: string;
}

export const NIL = 'nil';
export const ELLIPSIS = '...';

/** Bytes in a line of values without names, and in a list that is removed or inserted, before it is broken. */
const MAX_LINE = 80;

export const wrap = (prefix: string, value: TextNode, suffix: string): TextWrap => ({ prefix, value, suffix });

export const list = (records: readonly TextRecord[]): TextList => ({ records });

export const isList = (node: TextNode): node is TextList => typeof node !== 'string' && 'records' in node;

export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Bytes on one line, signs and comments left out. */
export function lengthOf(node: TextNode): number {
  if (typeof node === 'string') return bytesOf(node);
  if (!isList(node)) return bytesOf(node.prefix) + lengthOf(node.value) + bytesOf(node.suffix);
  const separators = 2 * Math.max(node.records.length - 1, 0);
  return node.records.reduce((sum, { key, value }) => sum + (key === '' ? 0 : bytesOf(key) + 2) + lengthOf(value), separators);
}

export function equalNodes(a: TextNode, b: TextNode): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b;
  if (!isList(a) && !isList(b)) return a.prefix === b.prefix && a.suffix === b.suffix && equalNodes(a.value, b.value);
  if (!isList(a) || !isList(b) || a.records.length !== b.records.length) return false;
  return a.records.every((one, i) => {
    const other = b.records[i] as TextRecord;
    return one.sign === other.sign && one.key === other.key && one.comment === other.comment && equalNodes(one.value, other.value);
  });
}

/** The whole tree, from the first indentation to the line end. */
export function layOut(node: TextNode): string {
  const out: string[] = [indentation('', 0)];
  expand(compact(node, '').node, '', 0, out);
  return `${out.join('')}\n`;
}

const within = (sign: Sign, around: Sign): Sign => (sign === '-' || sign === '+' ? sign : around === '' ? sign : around);

interface Compacted {
  /** on one line */
  readonly text: string;
  /** the same text where that is allowed */
  readonly node: TextNode;
}

function compact(node: TextNode, sign: Sign): Compacted {
  if (typeof node === 'string') return { text: node, node };
  if (isList(node)) return compactList(node, sign);
  const inner = compact(node.value, sign);
  const text = node.prefix + inner.text + node.suffix;
  return { text, node: typeof inner.node === 'string' ? text : { ...node, value: inner.node } };
}

function compactList({ records }: TextList, sign: Sign): Compacted {
  let needsLines = false;
  const texts: string[] = [];
  const compacted = records.map((record) => {
    const { text, node } = compact(record.value, within(record.sign, sign));
    texts.push(record.key === '' ? text : `${record.key}: ${text}`);
    needsLines ||= record.sign === '-' || record.sign === '+' || typeof node !== 'string' || record.comment !== undefined;
    return { ...record, value: node };
  });
  const text = texts.join(', ');
  needsLines ||= (sign === '-' || sign === '+') && bytesOf(text) > MAX_LINE;
  return { text, node: needsLines ? list(compacted) : text };
}

function indentation(sign: Sign, depth: number): string {
  return `${sign === '' ? ' ' : sign} ${'\t'.repeat(depth)}`;
}

function expand(node: TextNode, sign: Sign, depth: number, out: string[]): void {
  if (typeof node === 'string') {
    out.push(node);
    return;
  }
  if (isList(node)) {
    if (node.records.length > 0 && node.records.every(isBare)) expandBatches(node, sign, depth + 1, out);
    else expandRecords(node, sign, depth + 1, out);
    out.push(`\n${indentation(sign, depth)}`);
    return;
  }
  out.push(node.prefix);
  expand(node.value, sign, depth, out);
  out.push(node.suffix);
}

const isBare = ({ sign, key, value, comment }: TextRecord): boolean =>
  sign === '' && key === '' && typeof value === 'string' && comment === undefined;

/** Several values on a line. */
function expandBatches({ records }: TextList, sign: Sign, depth: number, out: string[]): void {
  let batch = '';
  const emit = (): void => {
    if (batch !== '') out.push(`\n${indentation(sign, depth)}${batch.trimEnd()}`);
    batch = '';
  };
  for (const { value } of records) {
    if (bytesOf(batch) + bytesOf(value as string) + 2 > MAX_LINE) emit();
    batch += `${value}, `;
  }
  emit();
}

function expandRecords({ records }: TextList, sign: Sign, depth: number, out: string[]): void {
  const keyPadding = paddings(records, ({ key, value }) => (key === '' || typeof value !== 'string' ? undefined : characters(key)));
  const valuePadding = paddings(records, ({ value, comment }) =>
    typeof value !== 'string' || value === ELLIPSIS || comment === undefined ? undefined : characters(value),
  );
  records.forEach((record, i) => {
    const side = within(record.sign, sign);
    out.push(`\n${indentation(side, depth)}${record.key === '' ? '' : `${record.key}: `}${keyPadding[i]}`);
    expand(record.value, side, depth, out);
    out.push(`${record.elidesComma === true ? '' : ','}${valuePadding[i]}${record.comment === undefined ? '' : ` // ${record.comment}`}`);
  });
}

const characters = (text: string): number => [...text].length;

/** Blanks that make neighbours equally wide. @param widthOf undefined for what is not aligned and parts its neighbours */
function paddings(records: readonly TextRecord[], widthOf: (record: TextRecord) => number | undefined): string[] {
  const widths = records.map(widthOf);
  const blanks = widths.map(() => '');
  for (let start = 0; start < widths.length; ) {
    let end = start;
    let widest = 0;
    for (; widths[end] !== undefined; end++) widest = Math.max(widest, widths[end] as number);
    for (let i = start; i < end; i++) blanks[i] = ' '.repeat(widest - (widths[i] as number));
    start = end + 1;
  }
  return blanks;
}
