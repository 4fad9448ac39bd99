/** What a component tells people about itself at /flagz and /statusz (KEP 4827 and 4828): texts that no program should read. */
import { formatDuration } from '../schema/scalar/duration.ts';
import type { FlagData, FlagsData, FlagValue } from './flags/flag-data.ts';

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n';

const header = (component: string, page: string): string => `\n${component} ${page}\n${WARNING}\n`;

/** Which of these stands between names and values changes from page to page, as in 1.32, so that programs do not come to rely on it. */
const DELIMITERS = [':', ': ', '=', ' '];

/** @param pick of 0 to 1 */
export function flagsPage(
  component: string,
  { flags }: FlagsData,
  values: Readonly<Record<string, FlagValue | undefined>>,
  pick = Math.random,
): string {
  const delimiter = DELIMITERS[Math.floor(pick() * DELIMITERS.length)];
  const lines = flags.map((flag) => `${flag.name}${delimiter}${valueText(flag, values[flag.name])}\n`);
  return header(component, 'flags') + lines.sort().join('');
}

/** Shows the value of a flag as Go's flags do. */
function valueText({ type }: FlagData, value: FlagValue | undefined): string {
  if (value === undefined) return '';
  if (type === 'duration') return formatDuration(BigInt(Math.round((value as number) * 1e6)));
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, text]) => `${name}=${text}`)
      .sort()
      .join(',');
  return String(value);
}

export interface ComponentStatus {
  /** milliseconds since 1970 */
  readonly started: number;
  /** milliseconds since then, which setting the clock does not change */
  readonly up: number;
  readonly nodeVersion: string;
  readonly programVersion: string;
  /** whose API is served, such as 1.32 */
  readonly release: string;
  /** the oldest that could be served */
  readonly oldestRelease: string;
  /** with a path of their own, by name; '' for those that are found at their name */
  readonly endpoints: Readonly<Record<string, string>>;
}

export function statusPage(component: string, status: ComponentStatus): string {
  const { started, up, nodeVersion, programVersion, release, oldestRelease, endpoints } = status;
  const seconds = Math.floor(up / 1_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return [
    header(component, 'statusz'),
    `Started: ${new Date(started).toUTCString()}\n`,
    `Up: ${Math.floor(seconds / 3_600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec\n`,
    `Node version: ${nodeVersion}\n`,
    `Binary version: ${programVersion}\n`,
    `Emulation version: ${release}\n`,
    `Minimum Compatibility version: ${oldestRelease}\n`,
    '\nList of useful endpoints\n--------------\n',
    ...Object.entries(endpoints).map(([name, path]) => `${name}${path === '' ? '' : `: ${path}`}\n`),
  ].join('');
}
