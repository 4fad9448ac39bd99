/** Findings of the policy check: violations, and changes that would be violations if they were not allowed. All of them are collected. */
import type { Severity } from '../check/codes.ts';
import { type PolicyCode, type PolicyRule, policyCodes } from './policy-codes.ts';
import type { Stability } from './stability.ts';

/** A place in a file of the schemas. */
export interface Place {
  /** Path from the root of the tree, with slashes. */
  readonly file: string;
  /** Place in the file, such as `components.schemas.PodSpec.properties.hostname`; empty for the file as a whole. */
  readonly path: string;
}

/** A violation as a check reports it. */
export interface Violation {
  /** The element that the rule is about, such as `batch/v1 CronJobSpec.schedule`, `batch/v1 cronjobs` or `flag secure-port`. */
  readonly element: string;
  /** Place in the later schemas, or in the earlier ones if nothing of the element is left. */
  readonly at: Place;
  readonly was: string;
  readonly is: string;
  readonly remedy?: string;
  /** Absent: the rule of the code. */
  readonly rule?: PolicyRule;
  /** Absent: stable. */
  readonly stability?: Stability;
  /** The first release that has the violation. */
  readonly release: string;
  /** The last release that has it; absent: the same as `release`. */
  readonly through?: string;
}

/** A violation with everything that its code says. */
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

/** A change that is allowed because the element is alpha, or was removed in time. */
export interface AllowedChange {
  readonly element: string;
  readonly title: string;
  readonly why: 'alpha' | 'removed in time';
  readonly release: string;
}

export type ReportViolation = (code: PolicyCode, violation: Violation) => void;

/** Receives the findings of the checks. No finding stops a check. */
export interface PolicyReport {
  /** Reports a violation. That of an alpha element is kept as an allowed change, because alpha elements may change freely. */
  readonly violation: ReportViolation;
  readonly allowed: (change: AllowedChange) => void;
}

/** Collects the findings of all checks. */
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

  /** Sorted by file, and within a file in the order in which they were found. Of findings that are the same but for their release the first is there. */
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

/**
 * @param value any JSON value, or undefined
 * @returns the value on one line of at most 160 characters
 */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}
