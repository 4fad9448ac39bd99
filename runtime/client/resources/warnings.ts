/** Reads the header `Warning` (RFC 7234, 5.5): `299 - "text"`, with commas between several. */

/** Code and text of a warning, with the agent between them and the date that may follow. */
const WARNING = /\s*(\d{3}) \S+ +"((?:[^"\\]|\\.)*)"\s*(?:"[^"]*"\s*)?(?:,|$)/gy;
/** A part of a text that is written as RFC 2047 has it, which RFC 2616 asked for. */
const ENCODED_WORD = /=\?([^?]+)\?([bq])\?([^?]*)\?=/gi;
/** Only this code has a text for the user. */
const MISCELLANEOUS = '299';

/** @param headers as Node gives them, with each byte as a character. What follows something in a header that is no warning is not read. */
export function warningsOf(headers: readonly string[] = []): string[] {
  return headers.flatMap((header) =>
    [...header.matchAll(WARNING)].flatMap(([, code, quoted = '']) => {
      const text = textOf(quoted.replaceAll(/\\(.)/g, '$1'));
      return code === MISCELLANEOUS && isShown(text) ? [text] : [];
    }),
  );
}

/** A text with control characters could change what a terminal shows. */
const isShown = (text: string | undefined): text is string => text !== undefined && text !== '' && !/\p{Cc}/u.test(text);

/** @returns undefined for bytes that are not UTF-8 */
function textOf(latin1: string): string | undefined {
  try {
    return decoded(Buffer.from(latin1, 'latin1'), 'utf-8').replaceAll(ENCODED_WORD, wordOf);
  } catch {
    return undefined;
  }
}

/** @returns the word as it came if nobody knows how it is encoded */
function wordOf(word: string, charset: string, encoding: string, content: string): string {
  const unquoted = (): string =>
    content.replaceAll('_', ' ').replaceAll(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return decoded(encoding.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : Buffer.from(unquoted(), 'latin1'), charset);
  } catch {
    return word;
  }
}

/** @throws TypeError for bytes that are no text; RangeError for an unknown character set */
const decoded = (bytes: Buffer, charset: string): string => new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes);
