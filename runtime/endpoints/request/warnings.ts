/** Warning headers (RFC 9111 section 5.5, code 299), within what clients read. */
import type { Context } from 'koa';

/** The most characters of all warnings of an answer together, as in 1.32. */
const TOTAL = 4 * 1024;
/** The most characters of one warning if they do not all fit. */
const SHORTENED = 256;

/** Adds a `Warning` header for each text that was not sent before. If there are too many, texts are shortened, and then left out. */
export function addWarnings(context: Context, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const sent = warningsOf.get(context) ?? new SentWarnings();
  warningsOf.set(context, sent);
  for (const text of warnings) sent.add(text, context.res);
}

type Headed = Pick<Context['res'], 'setHeader' | 'appendHeader'>;

const warningsOf = new WeakMap<Context, SentWarnings>();

/** The warnings of one answer. What it keeps, and what one more costs, does not grow with those that are left out. */
class SentWarnings {
  readonly #texts = new Set<string>();
  /** characters of the headers' texts */
  #length = 0;
  #shortens = false;

  add(text: string, to: Headed): void {
    // what is full looks at nothing more
    if (this.#isFull() || this.#texts.has(text) || !isSendable(text)) return;
    this.#texts.add(text);
    if (!this.#shortens && this.#length + lengthOf(text) > TOTAL) {
      this.#shortens = true;
      this.#length = 0;
      to.setHeader(
        'warning',
        Array.from(this.#texts, (each) => this.#headerOf(each)),
      );
    } else to.appendHeader('warning', this.#headerOf(text));
  }

  /** The one that reaches the limit is still sent. */
  #isFull(): boolean {
    return this.#shortens && this.#length >= TOTAL;
  }

  #headerOf(text: string): string {
    const shown = this.#shortens ? [...text.slice(0, 2 * SHORTENED)].slice(0, SHORTENED).join('') : text;
    this.#length += lengthOf(shown);
    return header(shown);
  }
}

/** Characters, not units of UTF-16. A text that is longer than all together may be, is told to be so without counting. */
function lengthOf(text: string): number {
  return text.length > 2 * TOTAL ? text.length : [...text].length;
}

/** Tells whether a text can be sent. As in 1.32, one that is empty or has a control character is not. */
function isSendable(text: string): boolean {
  return text !== '' && !/\p{Cc}/u.test(text);
}

/** Header values are bytes: UTF-8. */
function header(text: string): string {
  return Buffer.from(`299 - "${text.replace(/["\\]/g, '\\$&')}"`, 'utf8').toString('latin1');
}
