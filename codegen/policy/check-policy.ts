/** The deprecation policy as a whole: what the schemas state, against an earlier state of them where there is one. */
import type { Model } from '../model/model.ts';
import { readExceptions } from '../read/exceptions-file.ts';
import type { Sources } from '../read/sources.ts';
import { checkReleases, compareStates } from './check-api.ts';
import { checkTables, compareTableStates } from './check-tables.ts';
import { type ExcusedFinding, judge, malformedExceptions } from './exceptions.ts';
import { type AllowedChange, type Finding, FindingList, type PolicyReport } from './finding.ts';
import { readPolicyTables } from './tables/read-tables.ts';

/** Schemas, read. */
export interface SchemaState {
  readonly sources: Sources;
  /** at its current release */
  readonly model: Model;
}

export interface PolicyOptions {
  /** whether the earlier state is one that users have; otherwise it may be one between two releases */
  readonly knowsRelease: boolean;
  /** further findings, of what the caller has tried with objects */
  readonly others?: (report: PolicyReport) => void;
}

export interface PolicyOutcome {
  /** errors and warnings, those about the exceptions last */
  readonly findings: readonly Finding[];
  readonly excused: readonly ExcusedFinding[];
  readonly allowed: readonly AllowedChange[];
  /** exceptions that excuse nothing here, and may excuse a change since the last release */
  readonly unused: readonly string[];
}

/** @param before absent: only the later state is looked at, each of its releases against the one before */
export function checkPolicy(before: SchemaState | undefined, after: SchemaState, options: PolicyOptions): PolicyOutcome {
  const list = new FindingList();
  const tables = readPolicyTables(after.sources, after.model);
  if (before !== undefined) {
    compareStates(before.model, after.model, list);
    const earlier = readPolicyTables(before.sources, before.model);
    compareTableStates({ model: before.model, tables: earlier }, { model: after.model, tables }, list);
  }
  checkReleases(after.model, list);
  checkTables(tables, after.model, list);
  options.others?.(list);
  const exceptions = readExceptions(after.sources.policyExceptions ?? '');
  if ('problems' in exceptions)
    return {
      findings: [...list.findings, ...malformedExceptions(exceptions.problems, after.model.release)],
      excused: [],
      allowed: list.allowedChanges,
      unused: [],
    };
  const judged = judge(list.findings, exceptions, {
    current: after.model.release,
    knowsRelease: options.knowsRelease && before !== undefined,
  });
  return { ...judged, allowed: list.allowedChanges };
}
