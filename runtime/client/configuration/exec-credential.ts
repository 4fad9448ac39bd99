/** Reads what a credential program has printed. The module is loaded only when a program has run. */
import { isObject } from '../../schema/json/member.ts';
import { parseInstant } from '../../schema/scalar/time.ts';
import type { ClientCertificate } from '../transport/connection-settings.ts';
import { keyPairProblem } from './key-pair.ts';

export interface ExecCredential {
  readonly token?: string;
  readonly certificate?: ClientCertificate;
  /** milliseconds since 1970; absent: the credential is used until the server refuses it */
  readonly expires?: number;
}

/** An object whose members may be of any type. */
export interface PrintedAnswer {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly status?: unknown;
}

/** The texts of `status`; '' stands for absent ones. */
const STATUS_MEMBERS = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'] as const;
type Status = Readonly<Record<(typeof STATUS_MEMBERS)[number], string>>;

const undecodable = (why: string, cause?: unknown): Error => new Error(`decoding stdout: ${why}`, { cause });

/** Its messages name types, not values, because values may be secrets. @throws Error for values of a wrong type */
function statusOf(status: object): Status {
  const members = status as Readonly<Record<string, unknown>>;
  const texts = STATUS_MEMBERS.map((name) => {
    const value = members[name] ?? '';
    if (typeof value !== 'string') throw undecodable(`status.${name} must be a text, it is of the type ${typeName(value)}`);
    return [name, value] as const;
  });
  return Object.fromEntries(texts) as Status;
}

const typeName = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/**
 * A kind that is not stated is the right one. A version that is not stated is the one that 1.32 has for its own use, which nobody may want.
 * @param wanted the version that the object must have. @throws Error for any other object
 */
export function credentialOf({ kind: stated, apiVersion: version, status }: PrintedAnswer, wanted: string): ExecCredential {
  const kind = stated || 'ExecCredential';
  const apiVersion = version || wanted.replace(/[^/]*$/, '__internal');
  const refuse = (why: string): never => {
    throw new Error(why);
  };
  if (kind !== 'ExecCredential')
    return refuse(`decoding stdout: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version ?? '')}`);
  if (apiVersion !== wanted) return refuse(`exec plugin is configured to use API version ${wanted}, plugin returned version ${apiVersion}`);
  if (status === undefined || status === null) return refuse("exec plugin didn't return a status field");
  if (!isObject(status)) throw undecodable(`status must be an object, it is of the type ${typeName(status)}`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = statusOf(status);
  if (token === '' && cert === '' && key === '') return refuse("exec plugin didn't return a token or cert/key pair");
  if ((cert === '') !== (key === '')) return refuse('exec plugin returned only certificate or key, not both');
  const problem = cert === '' ? undefined : keyPairProblem(cert, key);
  if (problem !== undefined) return refuse(`failed parsing client key/certificate: ${problem}`);
  const expires = expirationTimestamp === '' ? undefined : endOf(expirationTimestamp);
  return { ...(token !== '' && { token }), ...(cert !== '' && { certificate: { cert, key } }), ...(expires !== undefined && { expires }) };
}

/** @param time RFC 3339. @returns milliseconds since 1970. @throws Error for text that is not a time */
function endOf(time: string): number {
  try {
    const { seconds, nanos } = parseInstant(time);
    return seconds * 1_000 + nanos / 1_000_000;
  } catch (error) {
    throw undecodable(`${JSON.stringify(time)} is no time`, error);
  }
}
