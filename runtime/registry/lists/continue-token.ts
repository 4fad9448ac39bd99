/**
 * The token of a chunked list: the revision of its snapshot and the key to go on from, relative to the resource's prefix.
 * It names no resource, no process and no cache, so that any worker can go on with it, after a restart too.
 */
import { JsonSyntaxError, parseJson } from '../../schema/json/json-text.ts';
import { isObject } from '../../schema/json/member.ts';
import { int64Of, numberText } from '../../schema/scalar/raw-number.ts';
import { jsonKind } from '../../schema/scalar/scalar-error.ts';
import { newBadRequest, type StatusError } from '../../status/status.ts';
import { MAX_KEY_BYTES } from '../../storage/storage.ts';

export interface ContinuePoint {
  /** revision of the snapshot; -1: the present, after an expired token */
  readonly revision: number;
  /** first key of the next chunk, without the prefix */
  readonly start: string;
}

export function encodeContinue({ revision, start }: ContinuePoint, apiVersion: string): string {
  return Buffer.from(JSON.stringify({ v: apiVersion, rv: revision, start })).toString('base64url');
}

/** @param apiVersion `meta.<group domain>/v1`. @throws StatusError BadRequest, in the words of 1.32 */
export function decodeContinue(token: string, apiVersion: string): ContinuePoint {
  const { v, rv, start: sent } = decoded(token);
  if (v !== apiVersion) throw notValid(`server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) throw wrongRevision(apiVersion);
  if (typeof sent !== 'string' || sent === '') throw notValid(`encoded start key empty (version ${apiVersion})`);
  const start = sent.startsWith('/') ? sent.slice(1) : sent;
  // No token leads out of the prefix that its list is in.
  if (!isClean(start) || Buffer.byteLength(start) > MAX_KEY_BYTES) throw notValid(sent.slice(0, 256));
  return { revision: Math.max(rv, PRESENT), start };
}

const PRESENT = -1;
const MEMBERS = { v: 'string', rv: 'int64', start: 'string' };
type Member = keyof typeof MEMBERS;

function decoded(token: string): Partial<Record<Member, unknown>> {
  const odd = /[^A-Za-z0-9_\r\n-]/.exec(token);
  const digits = token.replace(/[\r\n]+/g, '');
  // One character alone stands for less than a byte.
  const wrong = odd?.index ?? (digits.length % 4 === 1 ? token.length - 1 : undefined);
  if (wrong !== undefined) throw notValid(`illegal base64 data at input byte ${wrong}`);
  const bytes = Buffer.from(digits, 'base64url');
  let value: unknown;
  try {
    value = parseJson(bytes.toString('utf8'), bytes).value;
  } catch (error) {
    throw notValid(error instanceof JsonSyntaxError ? error.message : 'it holds no JSON');
  }
  if (value === null) return {};
  if (!isObject(value)) throw notValid(`json: cannot unmarshal ${jsonKind(value)} into Go value of type storage.continueToken`);
  return membersOf(value);
}

/** Reads the members of a token, whose names may be in any case, as Go reads them. Of several with the same name, the last counts. */
function membersOf(value: object): Partial<Record<Member, unknown>> {
  const members: Partial<Record<Member, unknown>> = {};
  for (const [written, member] of Object.entries(value)) {
    const name = written.toLowerCase();
    if (!Object.hasOwn(MEMBERS, name) || member === null) continue;
    requireType(name as Member, member);
    members[name as Member] = member;
  }
  return members;
}

function requireType(name: Member, value: unknown): void {
  const type = MEMBERS[name];
  const number = numberText(value);
  if (type === 'string' ? typeof value === 'string' : number !== undefined && int64Of(number) !== undefined) return;
  const found = type === 'int64' && number !== undefined ? `number ${number}` : jsonKind(value);
  throw notValid(`json: cannot unmarshal ${found} into Go struct field continueToken.${name} of type ${type}`);
}

/** Tells whether a key has no empty segments, and neither `.` nor `..`. */
function isClean(key: string): boolean {
  return key === '' || key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Makes the error for a token whose revision no list can have had. */
export function wrongRevision(apiVersion: string): StatusError {
  return notValid(`incorrect encoded start resourceVersion (version ${apiVersion})`);
}

function notValid(why: string): StatusError {
  return newBadRequest(`invalid continue token: continue key is not valid: ${why}`);
}
