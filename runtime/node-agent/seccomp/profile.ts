/**
 * Checks seccomp profiles, which are JSON files in the folder `seccomp` of the agent's folder (specification: Pod seccomp fields). The runtime applies a
 * profile, by the OCI runtime specification (config-linux.md, Seccomp); the checks here find what would make a runtime refuse it.
 */
import { type FieldError, invalid, notSupported, required, typeInvalid } from '../../contract/field-error.ts';
import { FileError } from '../../files/file-error.ts';
import { readFileText } from '../../files/file-text.ts';
import { JsonSyntaxError, parseJson } from '../../schema/json/json-text.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';
import { bigintOf, isRawNumber } from '../../schema/scalar/raw-number.ts';

export interface ProfileFindings {
  /** what a runtime refuses; each text has the path, the value and the rule */
  readonly problems: readonly string[];
  /** what a runtime ignores, or what only some runtimes support */
  readonly warnings: readonly string[];
}

const ACTIONS = [
  'SCMP_ACT_ERRNO',
  'SCMP_ACT_ALLOW',
  'SCMP_ACT_KILL_PROCESS',
  'SCMP_ACT_KILL_THREAD',
  'SCMP_ACT_KILL',
  'SCMP_ACT_TRAP',
  'SCMP_ACT_NOTIFY',
  'SCMP_ACT_TRACE',
  'SCMP_ACT_LOG',
];
const NOTIFY = 'SCMP_ACT_NOTIFY';
const DEFAULT_ACTIONS = ACTIONS.filter((action) => action !== NOTIFY);
/** The actions that may have a number, `errnoRet`, which goes to who made the system call or to the tracer. */
const WITH_NUMBER = ['SCMP_ACT_ERRNO', 'SCMP_ACT_TRACE'];
const OPERATORS = ['SCMP_CMP_NE', 'SCMP_CMP_LT', 'SCMP_CMP_LE', 'SCMP_CMP_EQ', 'SCMP_CMP_GE', 'SCMP_CMP_GT', 'SCMP_CMP_MASKED_EQ'];
const ARCHITECTURES = [
  ...[
    'X86',
    'X86_64',
    'X32',
    'ARM',
    'AARCH64',
    'MIPS',
    'MIPS64',
    'MIPS64N32',
    'MIPSEL',
    'MIPSEL64',
    'MIPSEL64N32',
    'PPC',
    'PPC64',
    'PPC64LE',
  ],
  ...['S390', 'S390X', 'PARISC', 'PARISC64', 'RISCV64', 'LOONGARCH64', 'M68K', 'SH', 'SHEB'],
].map((name) => `SCMP_ARCH_${name}`);
const FLAGS = ['TSYNC', 'LOG', 'SPEC_ALLOW', 'WAIT_KILLABLE_RECV'].map((name) => `SECCOMP_FILTER_FLAG_${name}`);

/** The index of the last argument: system calls have six. */
const LAST_ARGUMENT = 5n;
const MAX_UINT32 = 2n ** 32n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
/** The most problems, and the most warnings, that are told of one profile. */
const MOST_FINDINGS = 100;

/** Checks the profile in a file. @throws FileError if the file cannot be read or does not hold a JSON object */
export async function checkProfileFile(file: string): Promise<ProfileFindings> {
  return checkProfile(await readFileText(file), file);
}

/**
 * Checks the text of a profile.
 * @param source the name that errors give to the text, such as the path of its file
 * @throws FileError if the text is not a JSON object
 */
export function checkProfile(text: string, source: string): ProfileFindings {
  const { value, duplicates } = parse(text, source);
  if (!isObject(value)) throw new FileError(source, ['it holds no JSON object']);
  const check = new ProfileCheck();
  check.profile(value);
  const warnings = [...duplicates.map((path) => `${path}: stands twice`), ...check.warnings];
  const problems = check.problems.map(({ field, message }) => `${field}: ${message}`);
  return { problems: problems.slice(0, MOST_FINDINGS), warnings: warnings.slice(0, MOST_FINDINGS) };
}

function parse(text: string, source: string): ReturnType<typeof parseJson> {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new FileError(source, [`it is no JSON: ${error.message}`]);
    throw error;
  }
}

type MemberCheck = (value: unknown, path: string) => void;

/** Runtimes treat a member that is null as absent. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Goes through the members of one profile, and collects what is wrong with them. */
class ProfileCheck {
  readonly problems: FieldError[] = [];
  readonly warnings: string[] = [];

  profile(profile: JsonObject): void {
    this.#members(profile, '', {
      defaultAction: (value, path) => this.#defaultAction(value, path),
      defaultErrnoRet: (value, path) => this.#integer(value, path, MAX_UINT32),
      architectures: (value, path) => this.#list(value, path, (each, at) => this.#oneOf(each, at, ARCHITECTURES)),
      flags: (value, path) => this.#list(value, path, (each, at) => this.#oneOf(each, at, FLAGS)),
      listenerPath: (value, path) => this.#text(value, path),
      listenerMetadata: (value, path) => this.#text(value, path),
      syscalls: (value, path) => this.#list(value, path, (each, at) => this.#syscall(each, at)),
    });
    if (isAbsent(profile.defaultAction)) this.problems.push(required('defaultAction'));
    this.#number(profile.defaultAction, profile.defaultErrnoRet, 'defaultErrnoRet', 'defaultAction');
    if (!isAbsent(profile.listenerMetadata) && isAbsent(profile.listenerPath))
      this.problems.push(required('listenerPath', 'listenerMetadata is sent there'));
  }

  #syscall(value: unknown, path: string): void {
    if (!this.#object(value, path)) return;
    this.#members(value, path, {
      names: (names, at) => this.#names(names, at),
      action: (action, at) => this.#action(action, at, value.names),
      errnoRet: (number, at) => this.#integer(number, at, MAX_UINT32),
      args: (list, at) => this.#list(list, at, (each, place) => this.#argument(each, place)),
    });
    if (isAbsent(value.names)) this.problems.push(required(`${path}.names`, 'a rule names at least one system call'));
    if (isAbsent(value.action)) this.problems.push(required(`${path}.action`));
    this.#number(value.action, value.errnoRet, `${path}.errnoRet`, 'action');
  }

  #argument(value: unknown, path: string): void {
    if (!this.#object(value, path)) return;
    this.#members(value, path, {
      index: (number, at) => this.#integer(number, at, LAST_ARGUMENT),
      value: (number, at) => this.#integer(number, at, MAX_UINT64),
      valueTwo: (number, at) => this.#integer(number, at, MAX_UINT64),
      op: (operator, at) => this.#oneOf(operator, at, OPERATORS),
    });
    for (const name of ['index', 'value', 'op']) if (isAbsent(value[name])) this.problems.push(required(`${path}.${name}`));
  }

  #defaultAction(value: unknown, path: string): void {
    if (value === NOTIFY)
      this.problems.push(invalid(path, value, 'cannot be the default action: every system call would wait for a listener'));
    else this.#oneOf(value, path, DEFAULT_ACTIONS);
  }

  #action(value: unknown, path: string, names: unknown): void {
    this.#oneOf(value, path, ACTIONS);
    if (value !== NOTIFY) return;
    this.warnings.push(`${path}: ${NOTIFY} may be unsupported by the runtime`);
    // the runtime itself writes to the listener's socket while the filter is on: that call would wait for the listener, which waits for the runtime
    if (Array.isArray(names) && names.includes('write')) this.problems.push(invalid(path, value, 'cannot be the action of write'));
  }

  #names(value: unknown, path: string): void {
    this.#list(value, path, (name, at) => {
      this.#text(name, at);
      if (name === '') this.problems.push(required(at, 'the name of a system call'));
    });
    if (Array.isArray(value) && value.length === 0) this.problems.push(required(path, 'a rule names at least one system call'));
  }

  /** Checks that a number (`errnoRet` or `defaultErrnoRet`) is set only beside an action that uses it. An action that does not exist has its own problem. */
  #number(action: unknown, number: unknown, path: string, actionName: string): void {
    if (isAbsent(number) || typeof action !== 'string' || WITH_NUMBER.includes(action) || !ACTIONS.includes(action)) return;
    this.problems.push(invalid(path, number, `may be set only where ${actionName} is ${WITH_NUMBER.join(' or ')}`));
  }

  #members(object: JsonObject, path: string, checks: Readonly<Record<string, MemberCheck>>): void {
    for (const [name, value] of Object.entries(object)) {
      const at = path === '' ? name : `${path}.${name}`;
      if (!Object.hasOwn(checks, name)) this.warnings.push(`${at}: runtimes have no such member and pass over it`);
      else if (!isAbsent(value)) checks[name]?.(value, at);
    }
  }

  #object(value: unknown, path: string): value is JsonObject {
    if (isObject(value)) return true;
    this.problems.push(typeInvalid(path, value, 'must be an object'));
    return false;
  }

  #list(value: unknown, path: string, each: MemberCheck): void {
    if (!Array.isArray(value)) this.problems.push(typeInvalid(path, value, 'must be a list'));
    else for (const [index, element] of value.entries()) each(element, `${path}[${index}]`);
  }

  #text(value: unknown, path: string): void {
    if (typeof value !== 'string') this.problems.push(typeInvalid(path, value, 'must be a text'));
  }

  #oneOf(value: unknown, path: string, values: readonly string[]): void {
    if (!values.includes(value as string)) this.problems.push(notSupported(path, value, values));
  }

  #integer(value: unknown, path: string, max: bigint): void {
    const isInteger = typeof value === 'number' || (isRawNumber(value) && /^-?\d+$/.test(value.rawJSON));
    const integer = isInteger && (typeof value !== 'number' || Number.isInteger(value)) ? bigintOf(value) : undefined;
    if (integer === undefined) this.problems.push(typeInvalid(path, value, 'must be an integer'));
    else if (integer < 0n || integer > max) this.problems.push(invalid(path, value, `must be between 0 and ${max}, inclusive`));
  }
}
