/** Texts of the header `Warning` (RFC 7234, 5.5): `299 - "text"`, with commas between several. */
const WARNING = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

/** @param header as Node joins several */
export function warningsOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return [...String(header).matchAll(WARNING)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
}
