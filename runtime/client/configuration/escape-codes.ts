/** Makes texts of others safe to show in a terminal: they cannot contain escape codes afterwards. */

/** Letters, marks, numbers, punctuation, symbols, separators, and control characters that are space. */
const SAFE = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t-\r]/gu;

/** Every other character is named, such as `U+001B`. */
export function withoutEscapeCodes(text: string): string {
  return text.replaceAll(SAFE, (character) => `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`);
}
