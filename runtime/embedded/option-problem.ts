/** What is wrong with the options of an embedded server: programs in JavaScript have no types that would say so. */

type Check = (value: unknown) => boolean;
/** What each option has to be, in words, and whether a value is that. */
type Checks = Readonly<Record<string, readonly [expected: string, is: Check]>>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isPort: Check = (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535;
const isPlace: Check = (value) =>
  value === 'memory' ||
  (isObject(value) && typeof value.directory === 'string' && value.directory !== '' && Object.keys(value).length === 1);

/** Options of `fork`. */
export const FORK_OPTIONS: Checks = {
  store: ["'memory' or { directory: PATH }", isPlace],
  port: ['an integer from 0 to 65535', isPort],
  log: [
    'false or an object with the method `write`',
    (value) => value === false || typeof (value as { write?: unknown } | null)?.write === 'function',
  ],
};

/** Options of `startServer`; that of the dialect is checked as the flag of its name. */
const START_OPTIONS: Checks = {
  ...FORK_OPTIONS,
  dialect: ['a text', (value) => typeof value === 'string'],
  flags: ['an object whose members are flags', isObject],
  definitions: ['a list of objects', (value) => Array.isArray(value) && value.every(isObject)],
};

/** @returns the first problem as a sentence; undefined where there is none */
export function optionProblem(options: unknown, checks: Checks = START_OPTIONS): string | undefined {
  if (!isObject(options)) return `options are an object, such as { port: 0 }, not ${JSON.stringify(options)}`;
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) return `there is no option \`${name}\`: options are ${Object.keys(checks).sort().join(', ')}`;
    const [expected, is] = checks[name] as Checks[string];
    if (value !== undefined && !is(value)) return `the option \`${name}\` is wrong: ${expected} is expected`;
  }
  return undefined;
}
