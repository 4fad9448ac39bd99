/** Warning headers (RFC 9111 section 5.5, code 299), within what clients read. */
import type { Context } from 'koa';

/** Characters of all warnings of an answer together; what 1.32 sends. */
const TOTAL = 4 * 1024;
/** Characters of one warning where not all fit. */
const SHORTENED = 256;

interface Sent {
  readonly texts: string[];
}

const sent = new WeakMap<Context, Sent>();

/** Adds one Warning header for each text that was not sent before; texts are shortened, then left out, where there are too many. */
export function addWarnings(context: Context, warnings: readonly string[]): void {
  if (warnings.length === 0) return;
  const texts = [...new Set([...(sent.get(context)?.texts ?? []), ...warnings])];
  sent.set(context, { texts });
  context.res.setHeader('warning', withinLimit(texts).map(header));
}

function withinLimit(texts: readonly string[]): string[] {
  if (texts.reduce((sum, text) => sum + text.length, 0) <= TOTAL) return [...texts];
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    const short = text.slice(0, SHORTENED);
    if (total + short.length > TOTAL) break;
    total += short.length;
    kept.push(short);
  }
  return kept;
}

/** Header values are bytes: UTF-8, without control characters. */
function header(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that no header may hold
  const quoted = `"${text.replace(/[\x00-\x1f\x7f]/g, ' ').replace(/["\\]/g, '\\$&')}"`;
  return Buffer.from(`299 - ${quoted}`, 'utf8').toString('latin1');
}
