/**
 * YAML answers in the layout of release 1.32: sorted members, lists at the level of their key, double quotes around what would else be
 * no text, single quotes where the syntax needs quotes, and long text folded at the first space behind column 80.
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
    chooseQuotes(document);
    return document.toString(OPTIONS).split('\n').map(fold).join('\n');
  } catch (error) {
    if (error instanceof RangeError) throw newNotAcceptablePlain(['application/json']);
    throw error;
  }
}

function chooseQuotes(document: Document): void {
  const { isScalar, Scalar, stringify, visit } = yamlLibrary();
  visit(document, {
    Scalar(_key, node) {
      if (!isScalar(node) || typeof node.value !== 'string') return;
      if (isNoText(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      else if (stringify(node.value, OPTIONS).startsWith('"') && PRINTABLE_LINE.test(node.value)) node.type = Scalar.QUOTE_SINGLE;
    },
  });
}

/** Words that are null, a boolean, a number or a merge in YAML 1.1. */
const WORDS =
  /^(?:|~|null|Null|NULL|[yYnN]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|<<)$/;
const INTEGER = /^[-+]?(?:0x[\da-f_]+|0o?[0-7_]+|0b[01_]+|\d[\d_]*)$/i;
const FLOAT = /^[-+]?(?:\.[\d_]+|\d[\d_]*(?:\.[\d_]*)?)(?:e[-+]?\d+)?$/i;
/** Numbers to the base 60, such as 1:30. */
const SEXAGESIMAL = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/;
const TIMESTAMP =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d*)?(?:Z|[-+]\d{2}:\d{2}))|(?: \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d*)?))?$/;

/** Whether a text without quotes would be read as something else. */
function isNoText(text: string): boolean {
  return [WORDS, INTEGER, FLOAT, SEXAGESIMAL, TIMESTAMP].some((form) => form.test(text));
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
