/** Makes overrides of the agent's configuration from the flags of its command line. Flags take precedence over all configuration files, as in 1.32. */
import type { Override } from '../../files/file-kinds.ts';
import { formatDuration } from '../../schema/scalar/duration.ts';
import { type FlagData, FlagError, type FlagsData, type FlagValue } from '../../server/flags/flag-data.ts';

/** The field of the feature gates. A flag sets single gates in it; in every other field, a flag replaces the whole value that files give. */
export const GATES_FIELD = 'featureGates';

/**
 * Makes an override from every flag that is on the command line and that stands for a field of the configuration; one for each gate from `--feature-gates`.
 * @param values the values of all flags by their names, defaults included
 * @param given the names of the flags that are on the command line
 * @throws FlagError if the text of a value does not have the form that its field needs
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

/**
 * Tells the default of a flag for the help text, in the form that it would have on the command line.
 * @param configuration the complete configuration that applies without files and flags
 * @returns undefined if the configuration has no value for the flag's field, or false
 */
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

/** Readers, by field, for values that are written differently on the command line than in a file. Each makes the value for the file from the flag's texts. */
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

const isGiven = (text: string): boolean => text.trim() !== '';

/** Reads texts of the form `signal<amount`. @returns the amounts by their signals */
function thresholds(flag: FlagData, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.filter(isGiven).map((text) => split(flag, text, '<', 'SIGNAL<QUANTITY')));
}

/** Reads texts of the form `Name:value`. A name may be repeated. @returns all values by their names */
function headers(flag: FlagData, texts: readonly string[]): Record<string, string[]> {
  const all: Record<string, string[]> = {};
  for (const text of texts.filter(isGiven)) {
    const [name, value] = split(flag, text, ':', 'NAME:VALUE');
    const values = all[name] ?? [];
    all[name] = [...values, value];
  }
  return all;
}

/** Reads a text of the form `key=value:effect` or `key:effect`. Without a value, it is the empty text. */
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
