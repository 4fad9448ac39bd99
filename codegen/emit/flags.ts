/** `flags.ts`: the flags of the server as data, so that a start reads no YAML. */
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { header, literal, propertyName, quote, render } from './typescript.ts';

export const FLAGS_FILE = 'schemas/flags.yaml';

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
    unit: text,
    minimum: { type: ['string', 'number'] },
    maximum: { type: ['string', 'number'] },
    status: { enum: ['effective', 'accepted'] },
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

interface FlagsFile {
  readonly groups: Readonly<Record<string, string>>;
  readonly flags: readonly { readonly name: string; readonly short?: string; readonly group: string; readonly help: string }[];
}

/**
 * @param yaml text of `schemas/flags.yaml`
 * @returns source of a module that exports `flagsData`, in the order of the file
 * @throws Error that lists all that is wrong with the file
 */
export function emitFlags(yaml: string): string {
  const file: unknown = parse(yaml);
  const problems = wellFormed(file) ? inconsistencies(file) : (wellFormed.errors ?? []).map((e) => `${e.instancePath} ${e.message}`);
  if (problems.length > 0) throw new Error(`${FLAGS_FILE}:\n  ${problems.join('\n  ')}`);
  const { groups, flags } = file as FlagsFile;
  return render('flags.ts.hbs', {
    header: header(FLAGS_FILE),
    groups: Object.entries(groups).map(([name, title]) => `${propertyName(name)}: ${quote(title)}`),
    flags: flags.map((row) => literal({ ...row, help: row.help.trim().replace(/\s+/g, ' ') })),
  });
}

function inconsistencies({ groups, flags }: FlagsFile): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { name, short, group } of flags) {
    if (!Object.hasOwn(groups, group)) problems.push(`flag ${name}: there is no group ${group}`);
    for (const spelling of new Set([name, short])) {
      if (spelling !== undefined && seen.has(spelling)) problems.push(`flag ${name}: ${spelling} is another flag's name`);
      if (spelling !== undefined) seen.add(spelling);
    }
  }
  return problems;
}
