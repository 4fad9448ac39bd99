/** Runs `cluster-schema check --crd`: compares two files with custom resource definitions. */
import { compareDefinitions } from '../policy/definitions/compare-definitions.ts';
import { readDefinitionFile } from '../policy/definitions/definition.ts';
import { type Finding, FindingList } from '../policy/finding.ts';
import { lineIn } from '../read/lines.ts';
import { UsageError } from './command.ts';
import { isFailure, type PolicyReportParts } from './policy-report.ts';

/**
 * @returns the exit code
 * @throws UsageError for files that hold no definitions
 */
export async function checkDefinitions(
  before: string,
  after: string,
  print: (parts: PolicyReportParts, about: { against: string; release: string | null }) => void,
): Promise<number> {
  const [old, now] = [read(before), read(after)];
  const list = new FindingList();
  compareDefinitions(old, now, list);
  const outcome = { findings: list.findings, excused: [], allowed: list.allowedChanges, unused: [] };
  const place = (finding: Finding) => {
    const definition = now.find(({ name }) => finding.element === name || finding.element.startsWith(`${name} `));
    return { ...finding, line: definition === undefined ? undefined : lineIn(definition.parsed, finding.path) };
  };
  print({ outcome, place, notes: [`Compared with ${before}.`] }, { against: before, release: null });
  return isFailure(outcome) ? 1 : 0;
}

function read(file: string) {
  try {
    return readDefinitionFile(file);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
