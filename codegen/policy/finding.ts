/** Findings of the policy check: violations, and changes that would be violations if they were not allowed. All are collected. */
import type { Severity } from '../check/codes.ts';
import { type PolicyCode, type PolicyRule, policyCodes } from './policy-codes.ts';
import type { Stability } from './stability.ts';

export interface Place {
  /** path from the root of the tree, with slashes */
  readonly file: string;
  /** where in the file, such as `components.schemas.PodSpec.properties.hostname`; empty for the file as a whole */
  readonly path: string;
}

export interface Violation {
  /** what the rule is about, such as `batch/v1 CronJobSpec.schedule`, `batch/v1 cronjobs`, `flag secure-port` */
  readonly element: string;
  /** place in the later schemas; for removed elements, the place in the earlier ones */
  readonly at: Place;
  readonly was: string;
  readonly is: string;
  readonly remedy?: string;
  /** absent: the one of the code */
  readonly rule?: PolicyRule;
  /** absent: stable */
  readonly stability?: Stability;
  /** first release that has it */
  readonly release: string;
  /** last release that has it; absent: `release` */
  readonly through?: string;
}

export interface Finding extends Place {
  readonly code: PolicyCode;
  readonly rule: PolicyRule | undefined;
  readonly severity: Severity;
  readonly title: string;
  readonly element: string;
  readonly was: string;
  readonly is: string;
  readonly remedy: string;
  readonly release: string;
  readonly through: string;
}

/** A change that an element less stable, or removed in time, may have. */
export interface AllowedChange {
  readonly element: string;
  readonly title: string;
  readonly why: 'alpha' | 'removed in time';
  readonly release: string;
}

export type ReportViolation = (code: PolicyCode, violation: Violation) => void;

/** Receives the findings of the checks. No finding stops a check. */
export interface PolicyReport {
  /** Alpha elements may change freely, so their violations are reported as allowed changes. */
  readonly violation: ReportViolation;
  readonly allowed: (change: AllowedChange) => void;
}

export class FindingList implements PolicyReport {
  readonly #findings = new Map<string, Finding>();
  readonly #allowed = new Map<string, AllowedChange>();

  readonly violation: ReportViolation = (code, { at, stability = 'stable', release, through = release, ...stated }) => {
    const { rule, title, remedy, severity }: { rule?: PolicyRule; title: string; remedy: string; severity: Severity } = policyCodes[code];
    const { element } = stated;
    if (stability === 'alpha') return this.allowed({ element, title, why: 'alpha', release });
    const finding = { code, rule, severity, title, remedy, ...at, release, through, ...withoutUndefined(stated) };
    const key = JSON.stringify([code, element, finding.was, finding.is]);
    if (!this.#findings.has(key)) this.#findings.set(key, finding);
  };

  readonly allowed = (change: AllowedChange): void => {
    const key = JSON.stringify([change.element, change.title, change.why]);
    if (!this.#allowed.has(key)) this.#allowed.set(key, change);
  };

  /** by file, then in the order in which they were found; each once, as of the first release that has it */
  get findings(): readonly Finding[] {
    return [...this.#findings.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  }

  get allowedChanges(): readonly AllowedChange[] {
    return [...this.#allowed.values()];
  }
}

function withoutUndefined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** @param value any JSON. @returns it as one line, not too long */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}
