/** Reads records of comma-separated values (RFC 4180). Quoted fields may contain commas, line ends and doubled quotes. */

/** `message` begins with the line's number. */
export class CsvError extends Error {
  /** from 1 */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

export interface CsvRecord {
  /** the line at which the record begins, from 1 */
  readonly line: number;
  readonly fields: readonly string[];
}

const QUOTED = /"((?:[^"]|"")*)"/y;
const PLAIN = /[^",\r\n]*/y;
const FIELD_END = /,|\r?\n|$/y;

/** Empty lines are skipped. @throws CsvError for a misplaced quote, or one that is never closed */
export function parseCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = [];
  let at = 0;
  let line = 1;
  let start = 1;
  let fields: string[] = [];
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (at < text.length || fields.length > 0) {
    if (fields.length === 0) start = line;
    const quoted = text[at] === '"' ? read(QUOTED) : undefined;
    if (quoted === null) throw new CsvError(line, 'a quoted column does not end');
    const field = quoted === undefined ? (read(PLAIN)?.[0] ?? '') : (quoted[1] as string).replaceAll('""', '"');
    line += field.split('\n').length - 1;
    const end = read(FIELD_END);
    if (end === null) throw new CsvError(line, 'a quote stands where none may be, or text follows a quoted column');
    fields.push(field);
    if (end[0] === ',') {
      if (at === text.length) fields.push('');
      else continue;
    }
    if (fields.length > 1 || fields[0] !== '' || quoted !== undefined) records.push({ line: start, fields });
    fields = [];
    if (end[0] !== ',' && end[0] !== '') line++;
  }
  return records;
}
