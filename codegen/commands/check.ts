/** Runs `cluster-schema check`: holds the schemas to the deprecation policy. */
import { parseArgs } from 'node:util';
import { DiagnosticList } from '../check/diagnostic.ts';
import { buildModel } from '../model/build.ts';
import { checkPolicy, type PolicyOutcome, type SchemaState } from '../policy/check-policy.ts';
import { generatedKinds } from '../policy/conversions/generated-kinds.ts';
import { proveConversions } from '../policy/conversions/prove-conversions.ts';
import type { Finding, PolicyReport } from '../policy/finding.ts';
import { withMovedRules } from '../policy/moved-rules.ts';
import { SchemaLines } from '../read/lines.ts';
import { readSources } from '../read/read.ts';
import { isObject, type Sources } from '../read/sources.ts';
import type { Command } from './command.ts';
import { UsageError } from './command.ts';
import { type BaseChoice, defaultBase, namedBase, type PolicyBase } from './policy-base.ts';
import { annotations, isFailure, jsonReport, type PolicyReportParts, textReport } from './policy-report.ts';
import { readState } from './read-state.ts';

export const usage = `usage: cluster-schema check [--against=REVISION|FOLDER] [--json] [--annotations]
       cluster-schema check --crd OLD NEW [--json] [--annotations]

Holds the schemas to the deprecation policy, against an earlier state of them: a revision of git, or a folder that holds schemas/. Without
--against that is the last release's tag, or else where the branch left the main one. With --crd it compares two files with definitions of
custom resources instead.

  --json          prints everything that was found, excused and allowed
  --annotations   prints findings as commands of a GitHub workflow; by itself where GITHUB_ACTIONS is true`;

interface Options {
  readonly json: boolean;
  readonly annotations: boolean;
}

export const run: Command = async (root, args) => {
  const { values, positionals } = parse(args);
  const options = { json: values.json === true, annotations: values.annotations === true || process.env.GITHUB_ACTIONS === 'true' };
  if (values.crd === true) {
    const [before, after, ...others] = positionals;
    if (before === undefined || after === undefined || others.length > 0 || values.against !== undefined)
      throw new UsageError('--crd takes two files');
    const { checkDefinitions } = await import('./check-definitions.ts');
    return checkDefinitions(before, after, (parts, about) => print(parts, about, options));
  }
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${positionals[0]}`);
  const choice = values.against === undefined ? defaultBase(root) : namedBase(root, values.against);
  if ('none' in choice && values.against !== undefined) throw new UsageError(choice.none);
  return checkSchemas(root, choice, options);
};

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { against: { type: 'string' }, crd: { type: 'boolean' }, json: { type: 'boolean' }, annotations: { type: 'boolean' } },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function checkSchemas(root: string, choice: BaseChoice, options: Options): Promise<number> {
  const after = await readState(root);
  if ('errors' in after) {
    for (const error of after.errors) console.error(error);
    console.error('The schemas contradict each other; cluster-schema verify has all that is wrong.');
    return 1;
  }
  const { release } = after.model;
  const lines = new SchemaLines(root);
  const place = (finding: Finding) => ({ ...finding, line: lines.lineOf(finding.file, finding.path) });
  const finish = (outcome: PolicyOutcome, notes: readonly string[]): number => {
    const about = { against: 'none' in choice ? null : choice.name, release };
    const unused = outcome.unused.map(
      (each) => `The exception ${each} excuses nothing here: it may be for a change since the last release.`,
    );
    print({ outcome, place, notes: [...notes, ...unused] }, about, options);
    return isFailure(outcome) ? 1 : 0;
  };
  const { others, notes: tried } = await conversions(root, after);
  if ('none' in choice) {
    const note = `Compared with no earlier state: ${choice.none}. Each release that the schemas tell of was compared with the one before.`;
    return finish(checkPolicy(undefined, after, { knowsRelease: false, others }), [note, ...tried]);
  }
  return choice.open(async (folder) => {
    const { state: before, notes } = await readEarlier(folder, choice, after);
    return finish(checkPolicy(before, after, { knowsRelease: choice.isRelease, others }), [
      `Compared with ${choice.name}.`,
      ...notes,
      ...tried,
    ]);
  });
}

/** The generated kinds convert the objects, as in a server. */
async function conversions(
  root: string,
  { model }: SchemaState,
): Promise<{ others: (report: PolicyReport) => void; notes: readonly string[] }> {
  const kinds = await generatedKinds(root, model);
  if (kinds === undefined) return { others: () => {}, notes: ['Conversions were not tried with objects: nothing has been generated yet.'] };
  if (!('stale' in kinds)) return { others: (report) => proveConversions(model, kinds, report), notes: [] };
  const { stale } = kinds;
  const stated = { element: 'conversions', at: { file: stale, path: '' }, was: 'generated of the schemas', is: 'of other schemas' };
  return { others: (report) => report.violation('CP200', { ...stated, release: model.release }), notes: [] };
}

/** Earlier schemas may have a form that this generator does not know. The report says how much of them was left out. */
async function readEarlier(
  folder: string,
  { name }: PolicyBase,
  after: SchemaState,
): Promise<{ state: SchemaState; notes: readonly string[] }> {
  const diagnostics = new DiagnosticList();
  const stated = withOldestRelease(await readSources(folder, diagnostics.report));
  if (stated.documents.length === 0) throw new UsageError(`there are no schemas in ${name}`);
  const sources = withMovedRules(stated, after.sources);
  const state = { sources, model: buildModel(sources, diagnostics.report) };
  const { errors } = diagnostics;
  const first = errors[0];
  if (first === undefined) return { state, notes: [] };
  return {
    state,
    notes: [`${errors.length} places of the earlier schemas are not understood, the first in ${first.file}: ${first.problem}`],
  };
}

/** Earlier schemas may not state the oldest release of which they state everything; the first one stands in for it. */
function withOldestRelease(sources: Sources): Sources {
  const { releases } = sources;
  if (!isObject(releases) || releases.oldest !== undefined || !isObject(releases.releases)) return sources;
  return { ...sources, releases: { ...releases, oldest: Object.keys(releases.releases)[0] } };
}

function print(
  parts: PolicyReportParts,
  about: { against: string | null; release: string | null },
  { json, annotations: annotate }: Options,
): void {
  if (json) return console.log(jsonReport(parts, about));
  if (annotate && parts.outcome.findings.length > 0) console.log(annotations(parts));
  console.log(textReport(parts, Math.min(Math.max(process.stdout.columns ?? 100, 60), 120)));
}
