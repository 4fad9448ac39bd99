/** Checks the whole deprecation policy: what the schemas state, compared with an earlier state of them if there is one. */
import type { Model } from '../model/model.ts';
import { readExceptions } from '../read/exceptions-file.ts';
import type { Sources } from '../read/sources.ts';
import { checkReleases, compareStates } from './check-api.ts';
import { checkTables, compareTableStates } from './check-tables.ts';
import { type ExcusedFinding, judge, malformedExceptions } from './exceptions.ts';
import { type AllowedChange, type Finding, FindingList, type PolicyReport } from './finding.ts';
import { readPolicyTables } from './tables/read-tables.ts';

/** A state of the schemas, as it was read. */
export interface SchemaState {
  readonly sources: Sources;
  /** The model at the state's current release. */
  readonly model: Model;
}

/** What the caller knows about the earlier state, and what it has found by itself. */
export interface PolicyOptions {
  /** True if the earlier state is a release, which users have; otherwise it may be a state between two releases. */
  readonly knowsRelease: boolean;
  /** Reports further violations, which the caller finds by trying with objects. */
  readonly others?: (report: PolicyReport) => void;
}

/** The result of a check. */
export interface PolicyOutcome {
  /** Errors and warnings; those about the exceptions themselves come last. */
  readonly findings: readonly Finding[];
  readonly excused: readonly ExcusedFinding[];
  readonly allowed: readonly AllowedChange[];
  /** Exceptions that excuse nothing here, but may be for a change since the last release; empty if the earlier state is a release. */
  readonly unused: readonly string[];
}

/** @param before the earlier state; undefined: only the later state is checked, each of its releases against the one before */
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
