/** `schemas/behaviours.yaml`: what the server does that no other table states and that people rely on, where it goes (rules 7 and 8). */
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { releaseForm, type TableProblems } from './table-file.ts';

export const BEHAVIOURS_FILE = 'schemas/behaviours.yaml';

export interface BehaviourRow {
  readonly description: string;
  /** absent: stable */
  readonly stability?: 'alpha' | 'beta' | 'stable';
  /** the release that announced that it goes */
  readonly deprecated?: string;
  /** the first release without it */
  readonly removed?: string;
  /** name of the behaviour that takes its place */
  readonly replacement?: string;
  /** what changes with it, such as `default of flag workers`, `behaviour yaml of identity` */
  readonly changes?: readonly string[];
}

/** By name. */
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

/** @param yaml text of the file */
export function readBehaviours(yaml: string): BehaviourRows | TableProblems {
  const file: unknown = parse(yaml) ?? {};
  if (!wellFormed(file)) return { problems: (wellFormed.errors ?? []).map((e) => `${e.instancePath} ${e.message}`) };
  const problems = Object.entries(file).flatMap(([name, { replacement }]) =>
    replacement === undefined || Object.hasOwn(file, replacement)
      ? []
      : [`behaviour ${name}: there is no behaviour ${replacement} to replace it`],
  );
  return problems.length > 0 ? { problems } : file;
}
