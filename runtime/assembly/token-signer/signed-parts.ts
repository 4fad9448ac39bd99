/** Checks what the signer answers for a token by the rules of 1.32 and in its words, because clients see the errors. */
import type { SignJWTResponse } from '../../../generated/node-interfaces/token-signer.ts';
import { isObject } from '../../schema/json/member.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';

/** Limit of the name of a key, in bytes of UTF-8 as Go counts them. */
export const MAX_KEY_ID = 1_024;
/** The algorithms of the supported types of keys, see `algorithmOf`. */
const ALGORITHMS: ReadonlySet<unknown> = new Set(['RS256', 'ES256', 'ES384', 'ES512']);
const MEMBERS: ReadonlySet<string> = new Set(['alg', 'kid', 'typ']);
const ENCODED = /^[\w-]*$/;

/** @returns the name of the key that has signed. @throws Error */
export function keyIdOfHead({ header }: Pick<SignJWTResponse, 'header'>): string {
  const { alg, kid, typ } = readHead(header);
  if (typ !== 'JWT') throw new Error('bad type');
  if (kid === undefined || kid === '') throw new Error('key id missing');
  if (typeof kid !== 'string') throw new Error('while parsing header JSON: the key id is no text');
  if (Buffer.byteLength(kid) > MAX_KEY_ID) throw new Error('key id longer than 1 kb');
  if (!ALGORITHMS.has(alg)) throw new Error(`bad signing algorithm ${JSON.stringify(alg ?? '')}`);
  return kid;
}

/** Limit of a part in characters, which no valid token reaches. */
const MAX_PART = 64 * 1_024;

/** @throws Error */
function readHead(header: string): Readonly<Record<string, unknown>> {
  if (!isEncoded(header)) throw new Error('while unwrapping header: illegal base64 data');
  let head: unknown;
  try {
    head = parseNativeJson(Buffer.from(header, 'base64url').toString('utf8'));
  } catch (error) {
    throw new Error(`while parsing header JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isObject(head)) throw new Error('while parsing header JSON: it is no object');
  const unknown = Object.keys(head).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined)
    throw new Error(`while parsing header JSON: json: unknown field ${JSON.stringify(unknown.slice(0, MAX_KEY_ID))}`);
  return head;
}

/** 1.32 passes on any signature, which may leave an invalid token. @throws Error */
export function checkSignature({ signature }: Pick<SignJWTResponse, 'signature'>): void {
  if (signature === '') throw new Error('empty signature returned');
  if (!isEncoded(signature)) throw new Error('while unwrapping signature: illegal base64 data');
}

/** Whether a text is base64url without padding: its length modulo 4 is never 1. */
const isEncoded = (text: string): boolean => text.length <= MAX_PART && ENCODED.test(text) && text.length % 4 !== 1;
