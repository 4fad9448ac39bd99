/** What namespaces want of their pods: a level and a release for each of what is refused, recorded and warned of. */

import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';

/** From the one that allows everything to the one that allows least. */
export const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof LEVELS)[number];

export interface LevelVersion {
  readonly level: Level;
  /** `v1.N`, or `latest` */
  readonly version: string;
}

export const MODES = ['enforce', 'audit', 'warn'] as const;
export type Mode = (typeof MODES)[number];
export type Policy = Readonly<Record<Mode, LevelVersion>>;

export interface JudgedPolicy {
  /** holds also where labels are wrong: for what is refused they mean the strictest then */
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

export const textOf = ({ level, version }: LevelVersion): string => `${level}:${version}`;

export const isSame = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.version === b.version;

/** Whether pods that one allows may be refused by the other, as far as is known without looking at them. */
export const mayRefuseMore = (now: LevelVersion, before: LevelVersion): boolean =>
  now.level !== 'privileged' && (now.version !== before.version || LEVELS.indexOf(now.level) > LEVELS.indexOf(before.level));

/** The N of `v1.N`. @returns Infinity for the latest */
export const minorOf = (version: string): number => (version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length)));

export const isLevel = (text: string): text is Level => (LEVELS as readonly string[]).includes(text);

const VERSION = /^v1\.(\d|[1-9]\d*)$/;
const MAX_MINOR = 2n ** 63n - 1n;

export function isVersion(text: string): boolean {
  if (text === 'latest') return true;
  const [, minor] = VERSION.exec(text) ?? [];
  return minor !== undefined && minor.length < 20 && BigInt(minor) <= MAX_MINOR;
}

/** Keys of labels and annotations begin with it. */
export const prefixOf = ({ text }: Pick<Identity, 'text'>): string => text('pod-security.${labelDomain}/');

/** @param prefix of the keys. @param defaults what holds where there is no label */
export function policyOf(labels: Readonly<Record<string, string>> | undefined, prefix: string, defaults: Policy): JudgedPolicy {
  if (labels === undefined) return { policy: defaults, errors: [] };
  const errors: FieldError[] = [];
  const wrong = (key: string, value: string, detail: string): void => {
    errors.push(invalid(`metadata.labels[${key}]`, value, detail));
  };
  const ofMode = (mode: Mode): LevelVersion => {
    let { level, version } = defaults[mode];
    const [levelKey, versionKey] = [`${prefix}${mode}`, `${prefix}${mode}-version`];
    const [levelText, versionText] = [labels[levelKey], labels[versionKey]];
    if (levelText !== undefined) {
      if (!isLevel(levelText)) wrong(levelKey, levelText, `must be one of ${LEVELS.join(', ')}`);
      level = isLevel(levelText) ? levelText : mode === 'enforce' ? 'restricted' : 'privileged';
    }
    if (versionText !== undefined) {
      if (!isVersion(versionText)) wrong(versionKey, versionText, 'must be "latest" or "v1.x"');
      version = isVersion(versionText) ? versionText : 'latest';
    }
    return { level, version };
  };
  // in the order in which what is wrong is told
  const [enforce, audit, warn] = [ofMode('enforce'), ofMode('audit'), ofMode('warn')];
  return { policy: { enforce, audit, warn: withWarningsOfRefusals(warn, enforce, labels, prefix) }, errors };
}

/** A namespace that says only what it refuses warns of that too: pods that are refused later are told to whoever makes their controller. */
function withWarningsOfRefusals(
  warn: LevelVersion,
  enforce: LevelVersion,
  labels: Readonly<Record<string, string>>,
  prefix: string,
): LevelVersion {
  const isLabelled = isLevel(labels[`${prefix}enforce`] ?? '') && labels[`${prefix}warn`] === undefined;
  if (!isLabelled || LEVELS.indexOf(enforce.level) <= LEVELS.indexOf(warn.level)) return warn;
  return labels[`${prefix}warn-version`] === undefined ? enforce : { level: enforce.level, version: warn.version };
}
