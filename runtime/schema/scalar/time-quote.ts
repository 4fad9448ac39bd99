/** Quotes a text as errors of times and durations do: bytes other than printable ASCII are escaped one by one. */
export function quoteForTime(text: string): string {
  return `"${text.replace(SPECIAL, (character) => (character === '"' || character === '\\' ? `\\${character}` : bytesOf(character)))}"`;
}

/** biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for */
const SPECIAL = /["\\\u0000-\u001f]|[^\u0000-\u007f]/gu;

function bytesOf(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
