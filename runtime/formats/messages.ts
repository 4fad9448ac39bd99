/** Sentences and limits that several formats share. The sentences are those of 1.32, because clients show them to people. */

/** the result of a checker for a valid value */
export const NOTHING: readonly string[] = [];

export const maxLength = (limit: number): string => `must be no more than ${limit} characters`;

export const inclusiveRange = (lowest: number, highest: number): string => `must be between ${lowest} and ${highest}, inclusive`;

/** The sentence for a value that does not match a pattern. */
export function patternMessage(sentence: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${sentence} (regex used for validation is '${pattern}')`;
  return `${sentence} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** Whether a text has more bytes of UTF-8 than the limit. A code unit has at most three. */
export function isLongerThan(value: string, limit: number): boolean {
  return value.length > limit || (value.length * 3 > limit && Buffer.byteLength(value) > limit);
}

/** The errors of a text that must have at most `limit` bytes and match a pattern. */
export function patternMessages(value: string, limit: number, pattern: RegExp, message: string): readonly string[] {
  const tooLong = isLongerThan(value, limit);
  const matches = pattern.test(value);
  if (!tooLong && matches) return NOTHING;
  const messages = tooLong ? [maxLength(limit)] : [];
  if (!matches) messages.push(message);
  return messages;
}
