import type { VersionCondition } from '../registry/resource-store/resource-version.ts';
import type { ResourceRequest } from './resource-request.ts';

/**
 * What an If-Match header asks of the object that is written (RFC 9110 section 13.1.1): an entity tag is a resourceVersion in quotes, any one
 * of several will do, and an asterisk asks that there is an object.
 * @returns undefined for a request without the header, and in a dialect that does not know it
 */
export function ifMatch({ server, context }: ResourceRequest): VersionCondition | undefined {
  const header = context.req.headers['if-match'];
  if (header === undefined || !server.identity.ifMatch) return undefined;
  if (header.trim() === '*') return (current) => current !== undefined;
  const tags = new Set(header.split(',').map((tag) => tag.trim().replace(/^W\//, '').replace(/^"|"$/g, '')));
  return (current) => current !== undefined && tags.has(current);
}
