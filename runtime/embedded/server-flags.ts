/** Flags of an embedded server: those of the program, as members of an object. */
import { flagsData } from '../../generated/flags.ts';
import { type FlagData, FlagError } from '../server/flags/flag-data.ts';

type AnyFlag = (typeof flagsData)['flags'][number];

/** What `ServerOptions` says in members of its own, and what only a program of its own can do. */
type OwnFlag = 'data-dir' | 'dialect' | 'etcd-servers' | 'etcd-servers-overrides' | 'help' | 'secure-port' | 'version' | 'workers';

type Given<F extends AnyFlag> = F extends { readonly values: readonly (infer V)[] }
  ? V
  : F['type'] extends 'boolean'
    ? boolean
    : F['type'] extends 'integer' | 'number'
      ? number
      : F['type'] extends 'bytes'
        ? number | string
        : F['type'] extends 'strings' | 'lines'
          ? readonly string[]
          : F['type'] extends 'map'
            ? Readonly<Record<string, boolean | number | string>>
            : string;

/**
 * By the names that the flags of kube-apiserver have; `cluster-apiserver --help` explains each. Durations and sizes are texts as on the command line,
 * such as `1m30s` and `64Mi`; what is absent or undefined has its default.
 */
export type ServerFlags = {
  readonly [F in AnyFlag as Exclude<F['name'], OwnFlag>]?: Given<F> | undefined;
};

const NO_ETCD = 'the option `store` says where objects are kept, which is in this process or in a folder';

const ELSEWHERE: Readonly<Record<OwnFlag, string>> = {
  'data-dir': 'the option `store` names the folder',
  dialect: 'it is an option',
  'etcd-servers': NO_ETCD,
  'etcd-servers-overrides': NO_ETCD,
  help: 'it is for the program',
  'secure-port': 'the option `port` chooses it',
  version: 'it is for the program',
  workers: 'an embedded server is one process',
};

/** @returns the arguments of a command line that says the same. @throws FlagError for a flag that an embedded server does not have */
export function commandLine(flags: ServerFlags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const elsewhere = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name as OwnFlag] : undefined;
    if (elsewhere !== undefined) throw new FlagError(`--${name} is no flag of an embedded server: ${elsewhere}`);
    if (name.startsWith('-')) throw new FlagError(`unknown flag: "${name}": members of \`flags\` are named without dashes`);
    const flag = flagsData.flags.find((each: FlagData) => each.name === name.replaceAll('_', '-'));
    // it is refused, whatever its value, when the command line is parsed
    if (flag === undefined) return value === undefined ? [] : [`--${name}`];
    return textsOf(value, flag.type).map((text) => `--${name}=${text}`);
  });
}

function textsOf(value: ServerFlags[keyof ServerFlags], type: AnyFlag['type'] | undefined): string[] {
  if (value === undefined) return [];
  if (typeof value !== 'object') return [String(value)];
  if (isList(value)) return type === 'strings' && value.length > 0 ? [value.map(quoted).join(',')] : [...value];
  return Object.entries(value).map(([key, member]) => `${key}=${member}`);
}

/** A member of a list may have commas and quotes. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const isList = (value: object): value is readonly string[] => Array.isArray(value);
