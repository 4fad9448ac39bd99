/** Warning headers (RFC 9111 section 5.5, code 299), within what clients read. */
import type { Context } from 'koa';

/** Characters of all warnings of an answer together; what 1.32 sends. */
const TOTAL = 4 * 1024;
/** Characters of one warning where not all fit. */
const SHORTENED = 256;

const sent = new WeakMap<Context, readonly string[]>();

/** Adds one Warning header for each text that was not sent before; texts are shortened, then left out, where there are too many. */
export function addWarnings(context: Context, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const texts = [...new Set([...(sent.get(context) ?? []), ...warnings.filter(isSendable)])];
  sent.set(context, texts);
  if (texts.length > 0) context.res.setHeader('warning', withinLimit(texts).map(header));
}

/** As in 1.32, which has no header for what is empty or holds a control character. */
function isSendable(text: string): boolean {
  return text !== '' && !/\p{Cc}/u.test(text);
}

/** The one that reaches the limit is still sent. */
function withinLimit(texts: readonly string[]): readonly string[] {
  if (texts.reduce((sum, text) => sum + [...text].length, 0) <= TOTAL) return texts;
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (total >= TOTAL) break;
    const short = [...text].slice(0, SHORTENED);
    total += short.length;
    kept.push(short.join(''));
  }
  return kept;
}

/** Header values are bytes: UTF-8. */
function header(text: string): string {
  return Buffer.from(`299 - "${text.replace(/["\\]/g, '\\$&')}"`, 'utf8').toString('latin1');
}
