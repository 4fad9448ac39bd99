import type { ResourceRequest } from './resource-request.ts';

/**
 * The version that an If-Match header names (RFC 9110 section 13.1.1), in the dialect where it makes a write conditional: an entity tag is a
 * resourceVersion in quotes.
 */
export function versionToMatch({ server, context }: ResourceRequest): string | undefined {
  const header = server.identity.ifMatch ? context.req.headers['if-match'] : undefined;
  if (header === undefined || header === '*') return undefined;
  return header.replace(/^W\//, '').replace(/^"|"$/g, '');
}
