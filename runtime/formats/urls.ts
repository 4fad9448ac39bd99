/** URLs of servers. */
import { NOTHING } from './messages.ts';
import { parseUrl } from './url-text.ts';

/** Accepts an `https` URL with nothing but a host and a path. */
export function plainHttpsUrl(value: string): readonly string[] {
  const parts = parseUrl(value);
  if ('error' in parts) return [parts.error];
  const messages: string[] = [];
  if (parts.scheme !== 'https') messages.push('URL scheme must be https');
  if (parts.user !== undefined) messages.push('URL must not contain a username or password');
  if (parts.query !== '') messages.push('URL must not contain a query');
  if (parts.fragment !== '') messages.push('URL must not contain a fragment');
  return messages.length === 0 ? NOTHING : messages;
}
