/** Sentences and measures that several formats share. The sentences are those of 1.32, since clients show them to people. */

/** What a checker returns for a value that is right. */
export const NOTHING: readonly string[] = [];

export const maxLength = (limit: number): string => `must be no more than ${limit} characters`;

export const inclusiveRange = (lowest: number, highest: number): string => `must be between ${lowest} and ${highest}, inclusive`;

/** The sentence for a value that does not match a pattern. */
export function patternMessage(sentence: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${sentence} (regex used for validation is '${pattern}')`;
  return `${sentence} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** Lengths count bytes of UTF-8; a code unit is at most three. */
export function isLongerThan(value: string, limit: number): boolean {
  return value.length > limit || (value.length * 3 > limit && Buffer.byteLength(value) > limit);
}

/** What is wrong with a text of at most `limit` bytes that must match a pattern. */
export function patternMessages(value: string, limit: number, pattern: RegExp, message: string): readonly string[] {
  const tooLong = isLongerThan(value, limit);
  const matches = pattern.test(value);
  if (!tooLong && matches) return NOTHING;
  const messages = tooLong ? [maxLength(limit)] : [];
  if (!matches) messages.push(message);
  return messages;
}
