/** The text of a header's value, which is UTF-8: Node reads header bytes as Latin-1. */
export function headerText(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  return /^[\x00-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8');
}
