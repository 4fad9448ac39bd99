/** Entity tags of documents that clients keep (RFC 9110, section 8.8.3). */
import { createHash } from 'node:crypto';

/** SHA-512 in upper case hexadecimal digits: what 1.32 puts into entity tags and into the `hash` of document addresses. */
export function documentHash(bytes: Uint8Array): string {
  return createHash('sha512').update(bytes).digest('hex').toUpperCase();
}

export function entityTag(hash: string): string {
  return `"${hash}"`;
}

/** @param header If-None-Match of the request, undefined for none; compared weakly */
export function matchesEntityTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => {
    const candidate = part.trim();
    return candidate === '*' || candidate === tag || candidate === `W/${tag}`;
  });
}
