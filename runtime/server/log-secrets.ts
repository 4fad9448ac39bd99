/** Keeps secrets out of the log: by the names under which they come, and by the look of them. */

import { StatusError } from '../status/status.ts';

/** Without hyphens and underscores, in small letters. */
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
const MAX_DEPTH = 6;

/** Credentials of a header, PEM keys, JSON web tokens, credentials in a URL. */
const SECRET_TEXTS: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(Bearer|Basic) +[^\s"',]+/gi, `$1 ${SHOWN}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, SHOWN],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, SHOWN],
  [/([?&](?:token|access_token|password)=)[^&\s"]*/gi, `$1${SHOWN}`],
];

/** A copy of a value as it may be logged; errors become objects with their stack, but for those that say themselves what is wrong. */
export function withoutSecrets(value: unknown): unknown {
  return copy(value, 0);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return SECRET_TEXTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value);
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Error) return copyError(value, depth);
  if (Buffer.isBuffer(value) || ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((member) => copy(member, depth + 1));
  return copyMembers(Object.entries(value), depth);
}

function copyError(error: Error, depth: number): object {
  const { name, message, stack, cause } = error;
  const named: [string, unknown][] = [
    ['type', name],
    ['message', message],
  ];
  // what is told to clients is no fault of this program
  if (!(error instanceof StatusError)) named.push(['stack', stack]);
  if (cause !== undefined) named.push(['cause', cause]);
  return copyMembers([...named, ...Object.entries(error)], depth);
}

function copyMembers(members: readonly [string, unknown][], depth: number): object {
  const copied: Record<string, unknown> = {};
  for (const [name, member] of members) copied[name] = isSecret(name) ? SHOWN : copy(member, depth + 1);
  return copied;
}

function isSecret(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase().replaceAll(/[-_]/g, ''));
}
