/** Parses texts of `format`: clauses such as `%.2f`, the text between them, and errors. */

export type Verb = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o';
const VERBS: ReadonlySet<string> = new Set<Verb>(['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o']);

export interface Clause {
  readonly verb: Verb;
  readonly precision: number | undefined;
}

/** Counts characters of the result. */
export type Count = (characters: number) => void;

/** A text cannot be formatted. */
export class FormatFailure extends Error {}

/** A higher precision is refused. */
export const MAX_PRECISION = 32_767;

/**
 * @param count number of arguments
 * @param render formats the argument with the given index
 * @param endFirst whether a clause that is cut off is reported before a missing argument
 * @throws FormatFailure
 */
export function formatText(
  text: string,
  count: number,
  render: (clause: Clause, index: number) => string,
  add: (part: string) => void,
  endFirst = false,
): number {
  let [from, argument] = [0, 0];
  for (let mark = text.indexOf('%'); mark !== -1; mark = text.indexOf('%', from)) {
    add(text.slice(from, mark));
    if (text[mark + 1] === '%') {
      add('%');
      from = mark + 2;
      continue;
    }
    if (argument >= count && !(endFirst && mark + 1 >= text.length)) throw new FormatFailure(`index ${argument} out of range`);
    if (mark + 1 >= text.length) throw new FormatFailure('unexpected end of string');
    const { clause, end } = clauseAt(text, mark + 1);
    add(render(clause, argument++));
    from = end;
  }
  add(text.slice(from));
  return argument;
}

function clauseAt(text: string, start: number): { clause: Clause; end: number } {
  const { precision, end } = precisionAt(text, start);
  const verb = text[end] as string;
  if (VERBS.has(verb)) return { clause: { verb: verb as Verb, precision }, end: end + 1 };
  const [byte] = Buffer.from(String.fromCodePoint(text.codePointAt(end) as number));
  throw unparsed(`unrecognized formatting clause "${String.fromCharCode(byte as number)}"`);
}

function precisionAt(text: string, start: number): { precision: number | undefined; end: number } {
  if (text[start] !== '.') return { precision: undefined, end: start };
  let end = start + 1;
  while (end < text.length && /[0-9]/.test(text[end] as string)) end++;
  if (end >= text.length) throw unparsed('error while parsing precision: could not find end of precision specifier');
  const digits = text.slice(start + 1, end);
  const precision = Number(digits);
  if (digits === '') throw unparsed(`error while parsing precision: ${NO_PRECISION}`);
  if (precision > MAX_PRECISION)
    throw unparsed(`error while parsing precision: precision ${shortened(digits)} exceeds maximum allowed precision ${MAX_PRECISION}`);
  return { precision, end };
}

const NO_PRECISION = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
const shortened = (digits: string): string => (digits.length > 20 ? `${digits.slice(0, 20)}...` : digits);
const unparsed = (problem: string): FormatFailure => new FormatFailure(`could not parse formatting clause: ${problem}`);
