/**
 * Syntax of values that only some fields of the core kinds have. Every function returns what is wrong, one sentence each, as those of
 * `metadata/names.ts` do.
 */
import { isLongerThan, maxLength, patternMessage } from '../metadata/names.ts';
import { inclusiveRange } from './numbers.ts';

const NOTHING: readonly string[] = [];
const MAX_PORT = 65_535;
const PORT_NAME_LENGTH = 15;
const KEY_LENGTH = 253;

const KEY = '[-._a-zA-Z0-9]+';
const keyPattern = new RegExp(`^${KEY}$`);
const KEY_MESSAGE = patternMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  KEY,
  'key.name',
  'KEY_NAME',
  'key-name',
);

const HEADER = '[-A-Za-z0-9]+';
const headerPattern = new RegExp(`^${HEADER}$`);
const HEADER_MESSAGE = patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER, 'X-Header-Name');

export function portNumber(value: number | undefined): readonly string[] {
  const port = value ?? 0;
  return port >= 1 && port <= MAX_PORT ? NOTHING : [inclusiveRange(1, MAX_PORT)];
}

export function portName(value: string): readonly string[] {
  const messages: string[] = [];
  if (isLongerThan(value, PORT_NAME_LENGTH)) messages.push(maxLength(PORT_NAME_LENGTH));
  if (!/^[-a-z0-9]+$/.test(value)) messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) messages.push('must contain at least one letter (a-z)');
  if (value.includes('--')) messages.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
}

/** A key of a config map or a secret: it becomes the name of a file. */
export function configMapKey(value: string): readonly string[] {
  const messages: string[] = [];
  if (isLongerThan(value, KEY_LENGTH)) messages.push(maxLength(KEY_LENGTH));
  if (!keyPattern.test(value)) messages.push(KEY_MESSAGE);
  if (value === '.' || value === '..') messages.push(`must not be '${value}'`);
  else if (value.startsWith('..')) messages.push("must not start with '..'");
  return messages;
}

/** Printable ASCII without `=`. */
export function environmentName(value: string): readonly string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  return /^[ -<>-~]+$/.test(value)
    ? NOTHING
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function httpHeaderName(value: string): readonly string[] {
  return headerPattern.test(value) ? NOTHING : [HEADER_MESSAGE];
}
