/** Universally unique identifiers. */
import { NOTHING } from './messages.ts';

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MESSAGE = ['must be a lowercase UUID in 8-4-4-4-12 format'];

/** Accepts a UUID in lower case (RFC 9562). */
export function uuid(value: string): readonly string[] {
  return pattern.test(value) ? NOTHING : MESSAGE;
}
