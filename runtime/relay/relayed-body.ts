/** What becomes of a backend's body on its way: unpacked where this server has asked for it packed, the links of a page led through the proxy. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib';
import { detectedType } from './detected-type.ts';
import { firstBytes } from './first-bytes.ts';
import { pageLinks, type Relink } from './page-links.ts';
import { unpacks } from './relay-request.ts';

export interface RelayedBody {
  readonly source: Readable;
  /** that of a body of which the backend does not say it */
  readonly type?: string | undefined;
  /** names, in lower case, of headers of the backend that no longer hold */
  readonly left: ReadonlySet<string>;
}

/** Milliseconds that the head of an answer without a type waits for the first bytes; then it goes without (as in 1.32). */
const FIRST_LIMIT = 200;
const NOTHING: ReadonlySet<string> = new Set();
const LENGTH: ReadonlySet<string> = new Set(['content-length']);
const PACKING: ReadonlySet<string> = new Set(['content-length', 'content-encoding']);

type Stage = NodeJS.ReadWriteStream;

/** @param request of the client. @param relink undefined where no links are rewritten */
export async function relayedBody(request: IncomingMessage, head: IncomingMessage, relink: Relink | undefined): Promise<RelayedBody> {
  const { 'content-encoding': sent = '', 'content-length': length, 'content-type': named } = head.headers;
  const unpacking = sent.toLowerCase() === 'gzip' && length !== '0' && unpacks(request);
  const coding = unpacking ? '' : sent;
  const pageStages = relink !== undefined && isPage(head) ? await linkStages(coding, relink, head) : [];
  const stages = [...(unpacking ? [createGunzip()] : []), ...pageStages];
  const [first, ...others] = stages;
  // an error destroys the last stream, and so the client sees that the body broke off
  const source = first === undefined ? head : (pipeline([head, first, ...others], () => {}) as unknown as Readable);
  const type = named === undefined && coding === '' ? await typeOf(source) : undefined;
  return { source, type, left: unpacking ? PACKING : pageStages.length > 0 ? LENGTH : NOTHING };
}

async function typeOf(source: Readable): Promise<string | undefined> {
  const bytes = await firstBytes(source, FIRST_LIMIT);
  return bytes && detectedType(bytes);
}

/** Headers that do not hold for the answer to a GET, of which this is the answer to HEAD. */
export const leftWithoutBody = (head: IncomingMessage, relink: Relink | undefined): ReadonlySet<string> =>
  relink !== undefined && isPage(head) && READABLE.has(head.headers['content-encoding'] ?? '') ? LENGTH : NOTHING;

/** Content encodings of pages whose links are rewritten. */
const READABLE: ReadonlySet<string> = new Set(['', 'gzip', 'deflate']);

/** Whether the answer is an HTML page whose links are rewritten. The page of a redirect is not: browsers follow its `Location`. */
function isPage({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim() === 'text/html' && (headers.location ?? '') === '';
}

async function linkStages(coding: string, relink: Relink, head: IncomingMessage): Promise<readonly Stage[]> {
  switch (coding) {
    case '':
      return [pageLinks(relink)];
    case 'gzip':
      return [createGunzip(), pageLinks(relink), createGzip()];
    case 'deflate': {
      const first = await firstBytes(head);
      return first === undefined || isWrapped(first) ? [] : [createInflateRaw(), pageLinks(relink), createDeflateRaw({ level: 9 })];
    }
    default:
      return [];
  }
}

/**
 * Whether what is called `deflate` has the wrapping of zlib, as HTTP wants it. 1.32 reads it without, and fails on the others; here their pages pass as
 * they are.
 */
const isWrapped = ([first = 0, second = 0]: Buffer): boolean => (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
