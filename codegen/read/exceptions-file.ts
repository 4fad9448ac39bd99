/** Reads `schemas/policy-exceptions.yaml`: violations of the deprecation policy that were reviewed and let pass, each with its reason and its end. */
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { formProblem } from './form-problem.ts';
import { releaseForm, type TableProblems } from './table-file.ts';

export const EXCEPTIONS_FILE = 'schemas/policy-exceptions.yaml';

/** An exception, as the file states it. */
export interface PolicyException {
  /** Code of the finding, such as `CP110`. */
  readonly code: string;
  /** Elements as findings name them; one that ends with `*` stands for all elements that begin so. */
  readonly elements: readonly string[];
  readonly reason: string;
  /** The first release in which the exception excuses nothing any more. */
  readonly until: string;
}

/** An element of `*` alone is refused: nobody has reviewed all elements at once. */
const element = { type: 'string', pattern: '[^*]' };
const wellFormed = new Ajv({ allErrors: true, strict: false }).compile<readonly PolicyException[]>({
  type: 'array',
  items: {
    type: 'object',
    properties: {
      code: { type: 'string', pattern: '^CP[0-9]{3,4}$' },
      elements: { type: 'array', items: element, minItems: 1, uniqueItems: true },
      reason: { type: 'string', minLength: 10 },
      until: releaseForm,
    },
    required: ['code', 'elements', 'reason', 'until'],
    additionalProperties: false,
  },
});

/** @param yaml the text of the file */
export function readExceptions(yaml: string): readonly PolicyException[] | TableProblems {
  const file: unknown = parse(yaml) ?? [];
  return wellFormed(file) ? file : { problems: (wellFormed.errors ?? []).map((e) => `${e.instancePath} ${formProblem(e)}`) };
}
