/** Keeps secrets out of the log: by the names under which they come, and by the look of them. */

import { StatusError } from '../../status/status.ts';

/** The names of members with secrets, in small letters, without hyphens and underscores. */
const SECRET_NAMES = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'token',
  'bearertoken',
  'idtoken',
  'refreshtoken',
  'accesstoken',
  'password',
  'passphrase',
  'privatekey',
  'tlskey',
  'clientkeydata',
  'secwebsocketprotocol',
]);
const SHOWN = '[secret]';
/** Levels of a logged value that are shown: more than any record of the server has. */
const MAX_DEPTH = 6;

/** Matches secrets inside texts: credentials of a header, private keys in PEM, JSON web tokens, and credentials in a URL. */
const SECRET_TEXTS: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(Bearer|Basic) +[^\s"',]+/gi, `$1 ${SHOWN}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, SHOWN],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, SHOWN],
  [/([?&](?:token|access_token|password)=)[^&\s"]*/gi, `$1${SHOWN}`],
];

/**
 * A copy of a value as it may be logged. Errors are their texts; where they are members of the value itself their stacks are the member `stacktrace`, but for
 * those that say themselves what is wrong.
 */
export function withoutSecrets(value: unknown): unknown {
  const copied = copy(value, 0);
  if (value === null || typeof value !== 'object') return copied;
  // what is told to clients is no fault of this program
  const fault = Object.values(value).find((member) => member instanceof Error && !(member instanceof StatusError));
  return fault === undefined ? copied : { ...(copied as object), stacktrace: copy(stackOf(fault as Error), 0) };
}

/** Causes of a logged error that are shown, itself included. */
const MAX_CAUSES = 5;

function causesOf(error: Error): Error[] {
  const causes: Error[] = [];
  for (let at: unknown = error; at instanceof Error && causes.length < MAX_CAUSES; at = at.cause) causes.push(at);
  return causes;
}

/** Its message, and those of its causes where it does not tell them. */
function textOf(error: Error): string {
  return causesOf(error).reduce((text, { message }) => (text.includes(message) ? text : `${text}: ${message}`), error.message);
}

const stackOf = (error: Error): string =>
  causesOf(error)
    .map(({ stack = '' }) => stack)
    .join('\ncaused by ');

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return SECRET_TEXTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value);
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Error) return copy(textOf(value), depth);
  if (Buffer.isBuffer(value) || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((member) => copy(member, depth + 1));
  return copyMembers(Object.entries(value), depth);
}

function copyMembers(members: readonly [string, unknown][], depth: number): object {
  const copied: Record<string, unknown> = {};
  for (const [name, member] of members) copied[name] = isSecret(name) ? SHOWN : copy(member, depth + 1);
  return copied;
}

function isSecret(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
}
