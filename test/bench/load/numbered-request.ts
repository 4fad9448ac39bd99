/** In the text of a request: eight digits of its number, the last two of them, and two digits of its remainder by 50. */
export const NUMBER = '@@@@@@@@';
export const LAST_TWO_DIGITS = '~~';
export const REMAINDER = '^^';
/** Eight digits of how many requests were sent before: different in each request, where numbers come again. */
export const TURN = '%%%%%%%%';
const DIVISOR = 50;

/** The bytes of a request in which only a number changes, written in place. */
export class NumberedRequest {
  readonly bytes: Buffer;
  readonly #numbers: readonly number[];
  readonly #lastDigits: readonly number[];
  readonly #remainders: readonly number[];
  readonly #turns: readonly number[];

  constructor(text: string) {
    this.bytes = Buffer.from(text, 'latin1');
    this.#numbers = offsetsOf(text, NUMBER);
    this.#lastDigits = offsetsOf(text, LAST_TWO_DIGITS);
    this.#remainders = offsetsOf(text, REMAINDER);
    this.#turns = offsetsOf(text, TURN);
  }

  set number(number: number) {
    const digits = String(number).padStart(NUMBER.length, '0');
    for (const offset of this.#numbers) this.bytes.write(digits, offset, 'latin1');
    for (const offset of this.#lastDigits) this.bytes.write(digits.slice(-2), offset, 'latin1');
    const remainder = String(number % DIVISOR).padStart(REMAINDER.length, '0');
    for (const offset of this.#remainders) this.bytes.write(remainder, offset, 'latin1');
  }

  set turn(turn: number) {
    const digits = String(turn).padStart(TURN.length, '0');
    for (const offset of this.#turns) this.bytes.write(digits, offset, 'latin1');
  }
}

function offsetsOf(text: string, mark: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) offsets.push(at);
  return offsets;
}
