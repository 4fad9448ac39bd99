/** What a validator of forms found, in its words and with what it does not say itself: the key that is too much, the values that are allowed. */
interface Finding {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

export function formProblem({ keyword, params, message = `breaks ${keyword}` }: Finding): string {
  if (keyword === 'additionalProperties') return `${message}: ${params.additionalProperty}`;
  if (keyword === 'enum') return `${message}: ${(params.allowedValues as unknown[]).map(String).join(', ')}`;
  return message;
}
