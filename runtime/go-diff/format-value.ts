/** One value as a difference report shows it: members that are not zero, as deep and as long as it may be. */
import { compareUtf8, type JsonObject } from '../schema/json/member.ts';
import { type GoMap, type GoPointer, type GoSlice, type GoStruct, type GoType, isZero, scalarText, typeName } from './go-type.ts';
import { isPrintable, quoted, quotedBytes } from './quoted.ts';
import { ELLIPSIS, list, NIL, type Sign, type TextNode, type TextRecord, wrap } from './text-node.ts';

export interface FormatOptions {
  /** '': both sides, with what differs; ' ': both sides, which are equal; `-`, `+`: the one side, or the other */
  readonly sign: Sign;
  /** whether the name of the type stands before the value: always, never, for structs, slices and maps */
  readonly types: 'emit' | 'elide' | 'auto';
  /** how much is shown: each level down is shown half as long; less than one: nothing of what has members */
  readonly verbosity: number;
}

const MAX_VERBOSITY = 16;

export const verbosityOf = ({ verbosity }: FormatOptions): number => Math.min(Math.max(verbosity, 0), MAX_VERBOSITY);

/** Members of a value that is shown as one: none, 4, 8, 16, … */
const membersShown = (options: FormatOptions): number => ((1 << verbosityOf(options)) >> 1) << 2;

export const ellipsis = (comment?: string): TextRecord => ({ sign: '', key: '', value: ELLIPSIS, elidesComma: true, comment });

/** The type around a text of its value, where it is to be shown. */
export function withType(type: GoType, node: TextNode, { types, sign }: FormatOptions): TextNode {
  if (types === 'elide') return node;
  if (types === 'auto' && (type.kind === 'string' || type.kind === 'bool' || type.kind === 'number' || type.kind === 'pointer'))
    return node;
  if (types === 'auto' && (node === NIL || sign === ' ')) return node;
  const name = type.kind === 'pointer' ? `(${typeName(type)})` : typeName(type);
  return wrap(name, delimited(node), '');
}

function delimited(node: TextNode): TextNode {
  if (typeof node === 'object' && 'prefix' in node) {
    const { prefix, suffix } = node;
    if ((prefix.startsWith('(') && suffix.endsWith(')')) || (prefix.startsWith('{') && suffix.endsWith('}'))) return node;
  }
  return wrap('(', node, ')');
}

export function formatValue(type: GoType, value: unknown, options: FormatOptions): TextNode {
  if (type.kind === 'struct' && type.text !== undefined) return formatText('s', type.text(value), options);
  switch (type.kind) {
    case 'pointer':
      return formatPointer(type, value, options);
    case 'struct':
      return withType(type, formatStruct(type, value, options), options);
    case 'slice':
      return withType(type, value === undefined ? NIL : formatSlice(type, value as readonly unknown[], options), options);
    case 'map':
      return withType(type, value === undefined ? NIL : formatMap(type, value as JsonObject, options), options);
    case 'string':
      return withType(type, formatText('', (value as string | undefined) ?? '', options), options);
    default:
      return withType(type, scalarText(value ?? (type.kind === 'bool' ? false : 0)), options);
  }
}

/** What a pointer leads to shows its own type. */
function formatPointer(type: GoPointer, value: unknown, options: FormatOptions): TextNode {
  const { element } = type;
  if (value === undefined) return withType(type, NIL, options);
  if (element.kind === 'struct' && element.pointerText !== undefined) return formatText('s', element.pointerText(value), options);
  return wrap('&', formatValue(element, value, options), '');
}

const inner = (options: FormatOptions, types: FormatOptions['types']): FormatOptions => ({
  ...options,
  types,
  verbosity: options.verbosity - 1,
});

function formatStruct({ fields }: GoStruct, value: unknown, options: FormatOptions): TextNode {
  const shown = membersShown(options);
  const records: TextRecord[] = [];
  for (const { name, type, of } of fields) {
    const member = of(value);
    if (isZero(type, member)) continue;
    if (records.length === shown) {
      records.push(ellipsis());
      break;
    }
    records.push({ sign: '', key: name, value: formatValue(type, member, inner(options, 'auto')) });
  }
  return wrap('{', list(records), '}');
}

function formatSlice({ element }: GoSlice, values: readonly unknown[], options: FormatOptions): TextNode {
  const shown = membersShown(options);
  const records: TextRecord[] = values
    .slice(0, shown)
    .map((value) => ({ sign: '', key: '', value: formatValue(element, value, inner(options, 'elide')) }));
  if (values.length > shown) records.push(ellipsis());
  return wrap('{', list(records), '}');
}

function formatMap(type: GoMap, values: JsonObject, options: FormatOptions): TextNode {
  const shown = membersShown(options);
  const names = Object.keys(values).sort(compareUtf8);
  const records: TextRecord[] = names
    .slice(0, shown)
    .map((name) => ({ sign: '', key: formatKey(type, name), value: formatValue(type.value, values[name], inner(options, 'elide')) }));
  if (names.length > shown) records.push(ellipsis());
  return wrap('{', list(records), '}');
}

/** Keys are shown at a verbosity of their own. */
const KEY: FormatOptions = { sign: ' ', types: 'elide', verbosity: 6 };

export function formatKey({ namedKeys }: GoMap, key: string): string {
  return formatText(namedKeys === true ? 's' : '', key, KEY) as string;
}

const MIN_LINES = 4;

/** Its first bytes; a text of several lines stands on them where it is removed or inserted. @param prefix says who made the text */
function formatText(prefix: '' | 's', text: string, options: FormatOptions): TextNode {
  const verbosity = verbosityOf(options);
  const maxBytes = (1 << verbosity) << 5;
  const lines = textLines(prefix, text, maxBytes, options.sign);
  if (lines !== undefined) return formatLines(prefix, lines, (1 << verbosity) << 2, options.sign);
  const bytes = text.length > maxBytes / 4 ? Buffer.from(text) : undefined;
  if (bytes === undefined || bytes.length <= maxBytes + ELLIPSIS.length) return prefix + quoted(text);
  return prefix + quotedBytes(bytes.subarray(0, maxBytes)) + ELLIPSIS;
}

/** The lines of a text that may stand on lines of their own: they cannot be taken for something else. */
function textLines(prefix: string, text: string, maxBytes: number, sign: Sign): string[] | undefined {
  if (sign !== '-' && sign !== '+') return undefined;
  const lines = text.replace(/\n$/, '').split('\n').map(withoutReturns);
  const isPlain = (line: string): boolean =>
    !(line.startsWith(prefix) ? line.slice(prefix.length) : line).startsWith('"""') &&
    !line.startsWith(ELLIPSIS) &&
    isPrintable(line) &&
    Buffer.byteLength(line) <= maxBytes;
  return lines.length >= MIN_LINES && lines.every(isPlain) ? lines : undefined;
}

/** Lines may end, or begin, with a carriage return. */
export function withoutReturns(line: string): string {
  return line.replace(/\r$/, '').replace(/^\r/, '');
}

function formatLines(prefix: string, lines: readonly string[], maxLines: number, sign: Sign): TextNode {
  const record = (value: string, comment?: string): TextRecord => ({ sign, key: '', value, elidesComma: true, comment });
  const elided = lines.length - (maxLines - 1);
  const shown = elided > 1 ? lines.slice(0, maxLines - 1) : lines;
  const records = [record(`${prefix}"""`), ...shown.map((line) => record(line))];
  if (elided > 1) records.push(record(ELLIPSIS, `${elided} elided lines`));
  records.push(record(`${prefix}"""`));
  return wrap('(', list(records), ')');
}
