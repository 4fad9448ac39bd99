/** What the configuration file of ImagePolicyWebhook says (`imagePolicy`). */

import type { Identity } from '../../contract/identity.ts';
import { FileError } from '../../files/file-error.ts';
import type { FileKinds } from '../../files/file-kinds.ts';
import { peerOf } from '../../outbound/client-configuration.ts';
import type { Peer } from '../../outbound/exchange.ts';
import { isObject } from '../../schema/json/member.ts';
import { formatDuration } from '../../schema/scalar/duration.ts';
import { numberText } from '../../schema/scalar/raw-number.ts';

export interface ImagePolicySettings {
  readonly peer: Peer;
  /** milliseconds for which answers hold */
  readonly allowTtl: number;
  readonly denyTtl: number;
  /** milliseconds before the second attempt */
  readonly retryBackoff: number;
  /** whether images are allowed that nobody has answered for */
  readonly defaultAllow: boolean;
}

interface ConfigurationParts {
  readonly identity: Identity;
  readonly fileKinds: () => Promise<FileKinds>;
}

/** A time as the file has it: 0 stands for the default, -1 for none. */
interface Time {
  readonly member: string;
  /** milliseconds of one of the file's units */
  readonly unit: number;
  /** milliseconds */
  readonly least: number;
  readonly most: number;
  readonly preset: number;
}
const [SECOND, MINUTE] = [1_000, 60_000];
const NANOSECOND = 1e-6;
const TTL = { unit: SECOND, least: SECOND, most: 30 * MINUTE };
const ALLOW_TTL: Time = { ...TTL, member: 'allowTTL', preset: 5 * MINUTE };
const DENY_TTL: Time = { ...TTL, member: 'denyTTL', preset: 30 * SECOND };
const RETRY_BACKOFF: Time = { member: 'retryBackoff', unit: 1, least: NANOSECOND, most: 5 * MINUTE, preset: 500 };

/**
 * @param value what the file has
 * @param file where it stands
 * @throws FileError that says all that is wrong
 */
export async function readImagePolicy(
  value: unknown,
  file: string,
  { identity, fileKinds }: ConfigurationParts,
): Promise<ImagePolicySettings> {
  const policy = isObject(value) ? value.imagePolicy : undefined;
  if (!isObject(policy)) throw new FileError(file, ['imagePolicy: Required value: an object that leads to the webhook']);
  const { kubeConfigFile = '', defaultAllow = false } = policy;
  const problems: string[] = [];
  const time = (of: Time): number => {
    const read = milliseconds(of, policy[of.member]);
    if (typeof read === 'number') return read;
    problems.push(`imagePolicy.${of.member}: ${read.problem}`);
    return 0;
  };
  const times = { allowTtl: time(ALLOW_TTL), denyTtl: time(DENY_TTL), retryBackoff: time(RETRY_BACKOFF) };
  if (typeof kubeConfigFile !== 'string' || kubeConfigFile === '')
    problems.push('imagePolicy.kubeConfigFile: Required value: the client configuration that leads to the webhook');
  if (typeof defaultAllow !== 'boolean')
    problems.push(`imagePolicy.defaultAllow: Invalid value: ${JSON.stringify(defaultAllow)}: must be true or false`);
  if (problems.length > 0) throw new FileError(file, problems);
  const { object } = await (await fileKinds()).read(kubeConfigFile as string, { group: '', kind: 'Config' });
  return { ...times, defaultAllow: defaultAllow as boolean, peer: peerOf(object, kubeConfigFile as string, identity) };
}

const NONE = -1;

function milliseconds({ unit, least, most, preset }: Time, value: unknown): number | { readonly problem: string } {
  const given = value === undefined || value === null ? 0 : Number(numberText(value) ?? Number.NaN);
  if (!Number.isSafeInteger(given)) return { problem: `Invalid value: ${JSON.stringify(value)}: must be a whole number` };
  if (given === NONE) return 0;
  if (given === 0) return preset;
  const time = given * unit;
  if (time >= least && time <= most) return time;
  return { problem: `valid value is between ${text(least)} and ${text(most)}, got ${text(time)}` };
}

const text = (time: number): string => formatDuration(BigInt(Math.round(time / NANOSECOND)));
