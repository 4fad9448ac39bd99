/** Makes the text of `--help`. */
import type { Identity } from '../../contract/identity.ts';
import { type FlagData, type FlagsData, rangeText } from './flag-data.ts';

const INDENT = '      ';

export interface HelpForm {
  /** columns of the terminal; 100 by default */
  readonly width?: number;
  /** lines that follow the description of a flag and are not wrapped, by the name of the flag */
  readonly options?: Readonly<Record<string, readonly string[]>>;
  /** the operands behind the flags, such as `FILE`; absent if there are none */
  readonly operands?: string;
}

/** @returns the text, which ends with a line break; it does not have deprecated flags */
export function flagsHelp(
  program: string,
  summary: string,
  data: FlagsData,
  identity: Identity,
  { width = 100, options = {}, operands = '' }: HelpForm = {},
): string {
  const lines = [`Usage: ${program} [FLAGS] ${operands}`.trimEnd(), '', ...wrap(summary, width, '')];
  for (const [group, title] of Object.entries(data.groups)) {
    const flags = data.flags.filter((flag) => flag.group === group && flag.deprecated === undefined);
    if (flags.length === 0) continue;
    lines.push('', `${title}:`);
    for (const flag of flags) {
      lines.push('', `  ${spelling(flag)}`, ...wrap(identity.text(explanation(flag)), width, INDENT));
      lines.push(...(options[flag.name] ?? []).map((line) => `${INDENT}${line}`));
    }
  }
  return `${lines.join('\n')}\n`;
}

const FORMS: Readonly<Record<FlagData['type'], string>> = {
  boolean: '',
  integer: 'INTEGER',
  number: 'NUMBER',
  string: 'TEXT',
  duration: 'DURATION',
  bytes: 'BYTES',
  strings: 'TEXT,…',
  lines: 'TEXT …',
  map: 'KEY=VALUE,…',
};

function spelling(flag: FlagData): string {
  const names = flag.short === undefined ? [] : [`-${flag.short}`];
  if (flag.short !== flag.name) names.push(`--${flag.name}`);
  return `${names.join(', ')} ${FORMS[flag.type]}`.trimEnd();
}

function explanation(flag: FlagData): string {
  const range = rangeText(flag) ?? '';
  const facts = [
    flag.values !== undefined && `one of ${flag.values.join(', ')}`,
    flag.unit ?? false,
    // a unit may say it as well
    !(flag.unit ?? '').endsWith(range) && range,
    flag.default !== undefined && flag.default !== false && `default ${flag.default}`,
    flag.field !== undefined && `sets ${flag.field}`,
    flag.needs !== undefined && `needs --${flag.needs}`,
    flag.featureGate !== undefined && `needs the feature gate ${flag.featureGate}`,
    flag.status === 'accepted' && 'no effect yet',
  ].filter((fact) => fact !== false);
  return facts.length === 0 ? flag.help : `${flag.help} (${facts.join('; ')})`;
}

function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line.length > indent.length && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent;
    }
    line += line.length > indent.length ? ` ${word}` : word;
  }
  return [...lines, line];
}
