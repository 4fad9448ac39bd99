/** Reads `schemas/behaviours.yaml`: what the server does that people rely on and no other table states, once it is to go (rules 7 and 8 of the policy). */
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { formProblem } from './form-problem.ts';
import { releaseForm, type TableProblems } from './table-file.ts';

export const BEHAVIOURS_FILE = 'schemas/behaviours.yaml';

/** One behaviour of the server. */
export interface BehaviourRow {
  readonly description: string;
  /** Absent: stable. */
  readonly stability?: 'alpha' | 'beta' | 'stable';
  /** The release that announced that the behaviour goes; absent if none did. */
  readonly deprecated?: string;
  /** The first release without the behaviour; absent if none is decided. */
  readonly removed?: string;
  /** Name of the behaviour that takes its place; absent if none does. */
  readonly replacement?: string;
  /** What changes together with the behaviour, such as `default of flag workers` or `behaviour yaml of identity`. */
  readonly changes?: readonly string[];
}

/** The behaviours by name. */
export type BehaviourRows = Readonly<Record<string, BehaviourRow>>;

const text = { type: 'string', minLength: 1 };
const wellFormed = new Ajv({ allErrors: true, strict: false }).compile<BehaviourRows>({
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      description: text,
      stability: { enum: ['alpha', 'beta', 'stable'] },
      deprecated: releaseForm,
      removed: releaseForm,
      replacement: text,
      changes: { type: 'array', items: text, minItems: 1 },
    },
    required: ['description'],
    additionalProperties: false,
  },
  propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9]*$' },
});

/** @param yaml the text of the file */
export function readBehaviours(yaml: string): BehaviourRows | TableProblems {
  const file: unknown = parse(yaml) ?? {};
  if (!wellFormed(file)) return { problems: (wellFormed.errors ?? []).map((e) => `${e.instancePath} ${formProblem(e)}`) };
  const problems = Object.entries(file).flatMap(([name, { replacement }]) =>
    replacement === undefined || Object.hasOwn(file, replacement)
      ? []
      : [`behaviour ${name}: there is no behaviour ${replacement} to replace it`],
  );
  return problems.length > 0 ? { problems } : file;
}
