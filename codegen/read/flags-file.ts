/** Reads `schemas/flags.yaml` and `schemas/node-agent-flags.yaml`: the flags of a program, with what the deprecation policy asks of them (rules 5 and 6). */
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { formProblem } from './form-problem.ts';
import { releaseForm, type TableProblems } from './table-file.ts';

export const FLAGS_FILE = 'schemas/flags.yaml';
export const NODE_AGENT_FLAGS_FILE = 'schemas/node-agent-flags.yaml';

const text = { type: 'string', minLength: 1 };
const flag = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
    short: { type: 'string', pattern: '^[a-z]$' },
    group: text,
    type: { enum: ['boolean', 'integer', 'number', 'string', 'duration', 'bytes', 'strings', 'lines', 'map'] },
    values: { type: 'array', items: text, minItems: 1 },
    default: { type: ['string', 'number', 'boolean', 'array'], items: text },
    bareKeys: { const: true },
    repeated: { const: 'last' },
    commas: { const: 'kept' },
    sets: text,
    needs: text,
    featureGate: text,
    unit: text,
    minimum: { type: ['string', 'number'] },
    maximum: { type: ['string', 'number'] },
    status: { enum: ['effective', 'accepted'] },
    stability: { enum: ['alpha', 'beta', 'stable'] },
    audience: { enum: ['administrators', 'users'] },
    field: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*(\\.[a-z][A-Za-z0-9]*)*$' },
    deprecated: {
      type: 'object',
      properties: { release: releaseForm, replacement: text, warning: text },
      required: ['release'],
      additionalProperties: false,
    },
    help: text,
  },
  required: ['name', 'group', 'type', 'status', 'help'],
  additionalProperties: false,
};
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const wellFormed = ajv.compile<FlagsFile>({
  type: 'object',
  properties: { groups: { type: 'object', additionalProperties: text }, flags: { type: 'array', items: flag } },
  required: ['groups', 'flags'],
  additionalProperties: false,
});

/** A flag, as the file states it. */
export interface FlagRow {
  readonly name: string;
  readonly short?: string;
  readonly group: string;
  readonly type: string;
  readonly values?: readonly string[];
  readonly default?: unknown;
  readonly bareKeys?: true;
  readonly repeated?: 'last';
  readonly commas?: 'kept';
  /** The flag of the same type of which this is another name. */
  readonly sets?: string;
  /** The flag without which this one has no effect. */
  readonly needs?: string;
  /** The feature gate without which the flag is refused. */
  readonly featureGate?: string;
  /** What the value counts, such as seconds; absent if it counts nothing. */
  readonly unit?: string;
  readonly minimum?: string | number;
  readonly maximum?: string | number;
  readonly status: 'effective' | 'accepted';
  /** Absent: stable. */
  readonly stability?: 'alpha' | 'beta' | 'stable';
  /** Who uses the flag; absent: administrators. */
  readonly audience?: 'administrators' | 'users';
  /** The release that deprecated the flag; `warning` says what to do instead. */
  readonly deprecated?: { readonly release: string; readonly replacement?: string; readonly warning?: string };
  /** Dotted path of the member of the configuration file that the flag sets. */
  readonly field?: string;
  readonly help: string;
}

/** The content of the file: titles of groups by name, and the flags in their order. */
export interface FlagsFile {
  readonly groups: Readonly<Record<string, string>>;
  readonly flags: readonly FlagRow[];
}

/** @param yaml the text of the file */
export function readFlags(yaml: string): FlagsFile | TableProblems {
  const file: unknown = parse(yaml);
  const problems = wellFormed(file) ? inconsistencies(file) : (wellFormed.errors ?? []).map((e) => `${e.instancePath} ${formProblem(e)}`);
  return problems.length > 0 ? { problems } : (file as FlagsFile);
}

function inconsistencies({ groups, flags }: FlagsFile): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const names = new Set(flags.map(({ name }) => name));
  for (const { name, short, group, type, sets, needs, featureGate, deprecated, default: preset } of flags) {
    if (sets !== undefined && flags.find((flag) => flag.name === sets)?.type !== type)
      problems.push(`flag ${name}: there is no flag ${sets} of the same type that it could set`);
    if (needs !== undefined && !names.has(needs)) problems.push(`flag ${name}: there is no flag ${needs} that it could need`);
    if (featureGate !== undefined && preset !== undefined)
      problems.push(`flag ${name}: its default would be refused while the feature gate ${featureGate} is off`);
    const replacement = deprecated?.replacement;
    if (replacement !== undefined && !names.has(replacement)) problems.push(`flag ${name}: there is no flag ${replacement} to replace it`);
    if (!Object.hasOwn(groups, group)) problems.push(`flag ${name}: there is no group ${group}`);
    for (const spelling of new Set([name, short])) {
      if (spelling !== undefined && seen.has(spelling)) problems.push(`flag ${name}: ${spelling} is another flag's name`);
      if (spelling !== undefined) seen.add(spelling);
    }
  }
  return problems;
}
