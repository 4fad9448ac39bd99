/** Names within objects: keys of data, environment variables, headers, identifiers, reasons. */
import { isLongerThan, maxLength, NOTHING, patternMessage } from './messages.ts';

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

/** Accepts a key of a config map or secret, which becomes the name of a file. */
export function configMapKey(value: string): readonly string[] {
  const messages: string[] = [];
  if (isLongerThan(value, KEY_LENGTH)) messages.push(maxLength(KEY_LENGTH));
  if (!keyPattern.test(value)) messages.push(KEY_MESSAGE);
  messages.push(...dotMessages(value));
  return messages.length === 0 ? NOTHING : messages;
}

/** Refuses names that no file can have, or that lead out of the folder. */
function dotMessages(value: string): readonly string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : NOTHING;
}

const ENVIRONMENT_MESSAGE = "a valid environment variable name must consist only of printable ASCII characters other than '='";

/** Accepts printable ASCII without `=`. */
export function environmentName(value: string): readonly string[] {
  if (value === '') return ['environment variable name must be non-empty'];
  return /^[ -<>-~]+$/.test(value) ? NOTHING : [ENVIRONMENT_MESSAGE];
}

const STRICT_ENVIRONMENT = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const strictEnvironmentPattern = new RegExp(`^${STRICT_ENVIRONMENT}$`);
const STRICT_ENVIRONMENT_MESSAGE = patternMessage(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  STRICT_ENVIRONMENT,
  'my.env-name',
  'MY_ENV.NAME',
  'MyEnvName1',
);

/** Accepts the names that were valid before release 1.32: those of shells, and those with dots and dashes. */
export function strictEnvironmentName(value: string): readonly string[] {
  const dots = dotMessages(value);
  return strictEnvironmentPattern.test(value) ? dots : [STRICT_ENVIRONMENT_MESSAGE, ...dots];
}

const HEADER = '[-A-Za-z0-9]+';
const headerPattern = new RegExp(`^${HEADER}$`);
const HEADER_MESSAGE = patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", HEADER, 'X-Header-Name');

export function httpHeaderName(value: string): readonly string[] {
  return headerPattern.test(value) ? NOTHING : [HEADER_MESSAGE];
}

const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const identifierPattern = new RegExp(`^${IDENTIFIER}$`);
const IDENTIFIER_MESSAGE = patternMessage(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  IDENTIFIER,
  'my_name',
  'MY_NAME',
  'MyName',
);

/** Accepts an identifier of the language C. */
export function cIdentifier(value: string): readonly string[] {
  return identifierPattern.test(value) ? NOTHING : [IDENTIFIER_MESSAGE];
}

const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonPattern = new RegExp(`^${REASON}$`);
const REASON_MESSAGE = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

/** Accepts the reason of a condition. */
export function conditionReason(value: string): readonly string[] {
  return reasonPattern.test(value) ? NOTHING : [REASON_MESSAGE];
}

/** words that CEL reserves */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** Accepts an identifier of CEL. */
export function celIdentifier(value: string): readonly string[] {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(value) && !RESERVED.has(value) ? NOTHING : ['must be a valid CEL identifier'];
}
