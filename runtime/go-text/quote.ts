/** Lists of texts as Go shows them. */
import { goQuote } from '../contract/go-quote.ts';

export { goQuote } from '../contract/go-quote.ts';

/** A list of texts, such as `["a" "b"]`. */
export function goQuoteList(texts: readonly string[]): string {
  return `[${texts.map(goQuote).join(' ')}]`;
}
