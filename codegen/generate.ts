/** Runs the generator from end to end: read, model, check, emit. The caller writes the files. */
import { checkModel } from './check/check.ts';
import { type Diagnostic, DiagnosticList } from './check/diagnostic.ts';
import { emitAll, type GeneratedFiles } from './emit/emit.ts';
import { emitKindsTable } from './emit/kinds-table.ts';
import { emitMetricsTable } from './emit/metrics-table.ts';
import { buildModel } from './model/build.ts';
import { readSources } from './read/read.ts';

/** The result of a run: files, or errors because of which there are none. */
export interface Generation {
  /** Empty if there are errors: nothing is emitted from schemas that disagree. */
  readonly files: GeneratedFiles;
  /** The part `kinds` of schemas/README.md, in Markdown; '' if there are errors. */
  readonly kindsTable: string;
  /** The part `metrics` of schemas/METRICS.md, in Markdown; '' if there are errors, or no table of metrics. */
  readonly metricsTable: string;
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

/** @param root the root of the tree: the folder that holds `schemas/` */
export async function generate(root: string): Promise<Generation> {
  const diagnostics = new DiagnosticList();
  const sources = await readSources(root, diagnostics.report);
  const model = buildModel(sources, diagnostics.report);
  checkModel({ model, sources, report: diagnostics.report });
  const { errors, warnings } = diagnostics;
  if (errors.length > 0) return { files: new Map(), kindsTable: '', metricsTable: '', errors, warnings };
  const { metrics } = sources;
  const metricsTable = metrics === undefined ? '' : emitMetricsTable(metrics);
  return { files: emitAll(model, sources), kindsTable: emitKindsTable(model), metricsTable, errors, warnings };
}

/** The parts of documents that are written from the schemas. */
export const writtenParts = ({ kindsTable, metricsTable }: Generation): readonly { file: string; name: string; text: string }[] => [
  { file: 'schemas/README.md', name: 'kinds', text: kindsTable },
  { file: 'schemas/METRICS.md', name: 'metrics', text: metricsTable },
];
