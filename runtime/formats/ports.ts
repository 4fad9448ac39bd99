/** Numbers and names of ports. */
import { inclusiveRange, isLongerThan, maxLength, NOTHING } from './messages.ts';

const MAX_PORT = 65_535;
const NAME_LENGTH = 15;
const PORT_RANGE = [inclusiveRange(1, MAX_PORT)];

/** @param value absent: 0 */
export function portNumber(value: number | undefined): readonly string[] {
  const port = value ?? 0;
  return port >= 1 && port <= MAX_PORT ? NOTHING : PORT_RANGE;
}

const RIGHT_NAME = /^(?!-)(?!.*--)(?=.*[a-z])[-a-z0-9]{1,15}(?<!-)$/;

/** Accepts a service name as IANA registers it (RFC 6335, section 5.1). */
export function portName(value: string): readonly string[] {
  if (value.length <= NAME_LENGTH && RIGHT_NAME.test(value)) return NOTHING;
  const messages: string[] = [];
  if (isLongerThan(value, NAME_LENGTH)) messages.push(maxLength(NAME_LENGTH));
  if (!/^[-a-z0-9]+$/.test(value)) messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(value)) messages.push('must contain at least one letter (a-z)');
  if (value.includes('--')) messages.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
}

const HOST_AND_PORT = /^(\[[^[\]]*\]|[^:[\]]*):[^:[\]]*$/;

/** Accepts pairs of a host and a port, separated by commas. Each part that is no pair is an error. */
export function hostPortPairs(value: string): readonly string[] {
  const wrong = value.split(',').filter((part) => !HOST_AND_PORT.test(part));
  return wrong.length === 0 ? NOTHING : wrong.map(() => 'must be a host:port pair or multiple pairs separated by commas');
}

/** Accepts a port by number or by name. */
export function portNumberOrName(value: number | string): readonly string[] {
  return typeof value === 'number' ? portNumber(value) : portName(value);
}
