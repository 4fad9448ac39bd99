/** What the signer may answer for a token, as 1.32 has it and in its words: clients are told what is wrong. */
import type { SignJWTResponse } from '../../../generated/node-interfaces/token-signer.ts';
import { isObject } from '../../schema/member.ts';
import { parseNativeJson } from '../../schema/native-json.ts';

/** Of the name of a key: characters, and bytes of a text of Go. */
export const MAX_KEY_ID = 1_024;
/** Those of the keys that are known (`algorithmOf`). */
const ALGORITHMS: ReadonlySet<unknown> = new Set(['RS256', 'ES256', 'ES384', 'ES512']);
const MEMBERS: ReadonlySet<string> = new Set(['alg', 'kid', 'typ']);
const ENCODED = /^[\w-]*$/;

/** @returns the name of the key that signed. @throws Error */
export function keyIdOfHead({ header }: Pick<SignJWTResponse, 'header'>): string {
  const { alg, kid, typ } = readHead(header);
  if (typ !== 'JWT') throw new Error('bad type');
  if (kid === undefined || kid === '') throw new Error('key id missing');
  if (typeof kid !== 'string') throw new Error('while parsing header JSON: the key id is no text');
  if (Buffer.byteLength(kid) > MAX_KEY_ID) throw new Error('key id longer than 1 kb');
  if (!ALGORITHMS.has(alg)) throw new Error(`bad signing algorithm ${JSON.stringify(alg ?? '')}`);
  return kid;
}

/** Characters of a part: no token has as many. */
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

/** 1.32 hands on whatever the signer says, which then is no token. @throws Error */
export function checkSignature({ signature }: Pick<SignJWTResponse, 'signature'>): void {
  if (signature === '') throw new Error('empty signature returned');
  if (!isEncoded(signature)) throw new Error('while unwrapping signature: illegal base64 data');
}

/** As base64url without padding, whose length never leaves one. */
const isEncoded = (text: string): boolean => text.length <= MAX_PART && ENCODED.test(text) && text.length % 4 !== 1;
