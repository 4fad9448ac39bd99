/** In the text of a request: eight digits of its number, and the last two of them. */
export const NUMBER = '@@@@@@@@';
export const LAST_TWO_DIGITS = '~~';

/** The bytes of a request in which only a number changes, written in place. */
export class NumberedRequest {
  readonly bytes: Buffer;
  readonly #numbers: readonly number[];
  readonly #lastDigits: readonly number[];

  constructor(text: string) {
    this.bytes = Buffer.from(text, 'latin1');
    this.#numbers = offsetsOf(text, NUMBER);
    this.#lastDigits = offsetsOf(text, LAST_TWO_DIGITS);
  }

  set number(number: number) {
    const digits = String(number).padStart(NUMBER.length, '0');
    for (const offset of this.#numbers) this.bytes.write(digits, offset, 'latin1');
    for (const offset of this.#lastDigits) this.bytes.write(digits.slice(-2), offset, 'latin1');
  }
}

function offsetsOf(text: string, mark: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) offsets.push(at);
  return offsets;
}
