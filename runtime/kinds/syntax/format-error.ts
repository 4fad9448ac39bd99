/** Sentences about texts that do not have the form that they must have, worded as in release 1.32. */

/** @param pattern the regular expression that the text must match as a whole, without anchors */
export function formatError(rule: string, pattern: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${pattern}')`;
  return `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

export const emptyError = 'must be non-empty';

/** @param limit in bytes, though the sentence says characters */
export function lengthError(limit: number): string {
  return `must be no more than ${limit} characters`;
}

/** The expression that matches a whole text and nothing else. */
export function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}
