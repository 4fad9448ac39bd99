import { DiagnosticList, formatDiagnostic } from '../check/diagnostic.ts';
import { buildModel } from '../model/build.ts';
import type { SchemaState } from '../policy/check-policy.ts';
import { readSources } from '../read/read.ts';

/** @returns the schemas of a tree, or texts for people that say what is wrong with them */
export async function readState(root: string): Promise<SchemaState | { readonly errors: readonly string[] }> {
  const diagnostics = new DiagnosticList();
  const sources = await readSources(root, diagnostics.report);
  const model = buildModel(sources, diagnostics.report);
  return diagnostics.errors.length > 0 ? { errors: diagnostics.errors.map(formatDiagnostic) } : { sources, model };
}
