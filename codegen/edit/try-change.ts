/** Finds out whether schemas may be changed so: they must not contradict each other, and the change must break no rule of the deprecation policy. */
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checkModel } from '../check/check.ts';
import { type Diagnostic, DiagnosticList } from '../check/diagnostic.ts';
import { buildModel } from '../model/build.ts';
import { compareReleases } from '../model/lifespan.ts';
import { compareStates } from '../policy/check-api.ts';
import type { SchemaState } from '../policy/check-policy.ts';
import { judge } from '../policy/exceptions.ts';
import { type Finding, FindingList } from '../policy/finding.ts';
import { checkLifecycles } from '../policy/lifecycles/lifecycles.ts';
import { checkOnByDefault } from '../policy/lifecycles/on-by-default.ts';
import { ReleaseCalendar } from '../policy/release-calendar.ts';
import { readExceptions } from '../read/exceptions-file.ts';
import { readSources } from '../read/read.ts';
import type { SchemaFiles } from './schema-files.ts';

/** Whatever speaks against a change; nothing does if both lists are empty. */
export interface Trial {
  /** Errors of the changed schemas that they did not have before. */
  readonly errors: readonly Diagnostic[];
  /** Violations that the change makes, and that no exception excuses; [] if there are errors. */
  readonly violations: readonly Finding[];
}

/**
 * Tries a change on a copy of the schemas, which is removed afterwards.
 * @param before the schemas as they are
 */
export async function tryChange(root: string, before: SchemaState, files: SchemaFiles): Promise<Trial> {
  const copy = mkdtempSync(path.join(tmpdir(), 'cluster-schema-'));
  try {
    cpSync(path.join(root, 'schemas'), path.join(copy, 'schemas'), { recursive: true });
    // The names of hand-written functions are looked up in that folder.
    if (existsSync(path.join(root, 'runtime'))) symlinkSync(path.join(root, 'runtime'), path.join(copy, 'runtime'));
    files.save(copy);
    const diagnostics = new DiagnosticList();
    const sources = await readSources(copy, diagnostics.report);
    const model = buildModel(sources, diagnostics.report);
    checkModel({ model, sources, report: diagnostics.report });
    const errors = newErrors(before, diagnostics.errors);
    if (errors.length > 0) return { errors, violations: [] };
    return { errors: [], violations: violationsMade(before, { sources, model }) };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** @returns the errors that the schemas did not have before */
function newErrors(before: SchemaState, errors: readonly Diagnostic[]): readonly Diagnostic[] {
  if (errors.length === 0) return errors;
  const known = new Set(errorsOf(before).map((error) => JSON.stringify(error)));
  return errors.filter((error) => !known.has(JSON.stringify(error)));
}

function errorsOf({ model, sources }: SchemaState): readonly Diagnostic[] {
  const diagnostics = new DiagnosticList();
  checkModel({ model, sources, report: diagnostics.report });
  return diagnostics.errors;
}

function violationsMade(before: SchemaState, after: SchemaState): Finding[] {
  const keyOf = ({ code, element }: Finding): string => `${code} ${element}`;
  const found = findingsOf(before, after).filter(({ severity }) => severity === 'error');
  if (found.length === 0) return [];
  const known = new Set(findingsOf(before, before).map(keyOf));
  const made = found.filter((finding) => !known.has(keyOf(finding)));
  const exceptions = readExceptions(after.sources.policyExceptions ?? '');
  if ('problems' in exceptions) return made;
  const { findings } = judge(made, exceptions, { current: after.model.release, knowsRelease: false });
  return made.filter((finding) => findings.includes(finding));
}

function findingsOf(before: SchemaState, { model }: SchemaState): readonly Finding[] {
  const list = new FindingList();
  const calendar = new ReleaseCalendar(model.releases);
  compareStates(before.model, model, list);
  checkLifecycles(model, calendar, list);
  const toCome = model.releases.map(({ name }) => name).filter((name) => compareReleases(name, model.release) >= 0);
  checkOnByDefault(
    toCome.map((name) => model.at(name)),
    list,
  );
  return list.findings;
}
