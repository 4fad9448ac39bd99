/**
 * YAML answers in the layout of release 1.32: sorted members, lists at the level of their key, single quotes where quotes are needed, and long
 * text folded at the first space behind column 80.
 */
import type { Document } from 'yaml';
import { yamlLibrary } from '../schema/yaml-library.ts';
import { newNotAcceptablePlain } from '../status/status.ts';

const OPTIONS = { sortMapEntries: true, lineWidth: 0, indentSeq: false, version: '1.1', aliasDuplicateObjects: false } as const;
const FOLD_COLUMN = 80;

/** @throws StatusError NotAcceptable for a value nested deeper than YAML can be written */
export function toYaml(value: object): string {
  const { Document } = yamlLibrary();
  try {
    const document = new Document(value, OPTIONS);
    preferSingleQuotes(document);
    return document.toString(OPTIONS).split('\n').map(fold).join('\n');
  } catch (error) {
    if (error instanceof RangeError) throw newNotAcceptablePlain(['application/json']);
    throw error;
  }
}

function preferSingleQuotes(document: Document): void {
  const { isScalar, Scalar, stringify, visit } = yamlLibrary();
  visit(document, {
    Scalar(_key, node) {
      if (!isScalar(node) || typeof node.value !== 'string') return;
      if (stringify(node.value, OPTIONS).startsWith('"') && PRINTABLE_LINE.test(node.value)) node.type = Scalar.QUOTE_SINGLE;
    },
  });
}

const PRINTABLE_LINE = /^[\t\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]*$/;

/** One `key: text` line whose text is plain or in single quotes; a space that ends a run or stands in a double-quoted text stays. */
function fold(line: string): string {
  if (line.length <= FOLD_COLUMN) return line;
  const match = /^( *(?:- )*(?:[^\s'"]+: )?)(?!["|>{[])(.*)$/.exec(line);
  if (match === null) return line;
  const indent = `${' '.repeat(/^ */.exec(line)?.[0].length ?? 0)}  `;
  let out = match[1] as string;
  let column = out.length;
  const text = match[2] as string;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const single = character === ' ' && text[at - 1] !== ' ' && text[at + 1] !== ' ' && at > 0 && at < text.length - 1;
    if (single && column > FOLD_COLUMN) {
      out += `\n${indent}`;
      column = indent.length;
    } else {
      out += character;
      column++;
    }
  }
  return out;
}
