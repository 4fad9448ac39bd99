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
const textOf = (latin1: string): string | undefined =>
  decoded(latin1, 'utf-8')?.replaceAll(ENCODED_WORD, (word, charset: string, encoding: string, content: string) => {
    const bytes = /b/i.test(encoding)
      ? Buffer.from(content, 'base64').toString('latin1')
      : content.replaceAll('_', ' ').replaceAll(/=([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number(`0x${hex}`)));
    return decoded(bytes, charset) ?? word;
  });

/** @returns undefined for bytes that are no text, and for an unknown character set */
function decoded(latin1: string, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return undefined;
  }
}
