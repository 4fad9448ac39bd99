/** What flags say of the configuration: they count before all files, as in 1.32. */
import type { Override } from '../../files/file-kinds.ts';
import { formatDuration } from '../../schema/scalar/duration.ts';
import { type FlagData, FlagError, type FlagsData, type FlagValue } from '../../server/flag-data.ts';

/** Of gates each counts for itself; every other flag takes the place of the whole member. */
export const GATES_FIELD = 'featureGates';

/**
 * @param given names of flags on the command line
 * @throws FlagError for a value of a wrong form
 */
export function flagOverrides(data: FlagsData, values: Readonly<Record<string, FlagValue>>, given: ReadonlySet<string>): Override[] {
  return data.flags.flatMap((flag) => (flag.field === undefined || !given.has(flag.name) ? [] : overridesOf(flag, flag.field, values)));
}

function overridesOf(flag: FlagData, field: string, values: Readonly<Record<string, FlagValue>>): Override[] {
  const source = `--${flag.name}`;
  const path = field.split('.');
  const value = memberValue(flag, field, values[flag.name] as FlagValue);
  if (field !== GATES_FIELD) return [{ path, value, source }];
  return Object.entries(value as object).map(([gate, on]) => ({ path: [...path, gate], value: on, source }));
}

/** The default of a flag, as on the command line: what the configuration has without it. @returns undefined where it has nothing */
export function defaultText(configuration: object, { field }: FlagData): string | undefined {
  let value: unknown = configuration;
  for (const name of field?.split('.') ?? ['']) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (value === undefined || value === null || value === false) return undefined;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.join(',');
  const separator = THRESHOLDS.has(field ?? '') ? '<' : '=';
  return Object.entries(value)
    .map(([key, text]) => `${key}${separator}${text}`)
    .join(',');
}

const THRESHOLDS: ReadonlySet<string> = new Set(['evictionHard', 'evictionSoft']);

/** Members whose text on the command line is not that of a file. */
const FORMS: Readonly<Record<string, (flag: FlagData, texts: readonly string[]) => unknown>> = {
  evictionHard: thresholds,
  evictionSoft: thresholds,
  registerWithTaints: (flag, texts) => texts.map((text) => taint(flag, text)),
  staticPodURLHeader: headers,
};

function memberValue(flag: FlagData, field: string, value: FlagValue): unknown {
  if (field === GATES_FIELD)
    return Object.fromEntries(Object.entries(value as object).map(([gate, text]) => [gate, gateValue(flag, gate, text)]));
  const form = Object.hasOwn(FORMS, field) ? FORMS[field] : undefined;
  if (form !== undefined) return form(flag, value as readonly string[]);
  return flag.type === 'duration' ? formatDuration(BigInt(Math.round((value as number) * 1e6))) : value;
}

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

function gateValue(flag: FlagData, gate: string, text: string): boolean {
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw wrong(flag, `${gate}=${text}`, 'true or false is expected');
}

/** `signal<amount` */
function thresholds(flag: FlagData, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => split(flag, text, '<', 'SIGNAL<QUANTITY')));
}

/** `Name:value`, of which a name may have several. */
function headers(flag: FlagData, texts: readonly string[]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const text of texts) {
    const [name, value] = split(flag, text, ':', 'NAME:VALUE');
    const values = all[name] ?? [];
    all[name] = [...values, value];
  }
  return all;
}

/** `key=value:effect`, `key:effect` */
function taint(flag: FlagData, text: string): { key: string; value: string; effect: string } {
  const [left, effect] = split(flag, text, ':', 'KEY=VALUE:EFFECT');
  const [key = '', value = '', ...rest] = left.split('=');
  if (key === '' || rest.length > 0) throw wrong(flag, text, 'KEY=VALUE:EFFECT is expected');
  return { key, value, effect };
}

function split(flag: FlagData, text: string, separator: string, form: string): [string, string] {
  const at = text.indexOf(separator);
  const parts: [string, string] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at === -1 || parts.includes('')) throw wrong(flag, text, `${form} is expected`);
  return parts;
}

const wrong = (flag: FlagData, text: string, expected: string): FlagError =>
  new FlagError(`invalid argument ${JSON.stringify(text)} for "--${flag.name}" flag: ${expected}`);
