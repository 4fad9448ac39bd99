/** Third step: holds the parts of the model against each other. Checks only report; none changes anything or stops the others. */
import type { CheckContext } from './check-context.ts';
import { checkConstraints } from './constraints.ts';
import { checkConversions, checkPrefixes } from './conversions.ts';
import { checkCopies } from './copies.ts';
import { checkDefaultRules } from './default-rules.ts';
import { checkDescriptions } from './descriptions.ts';
import type { Report } from './diagnostic.ts';
import { checkFieldNumbers } from './field-numbers.ts';
import { checkFields } from './fields.ts';
import { checkFiles } from './files.ts';
import { checkHandWritten } from './hand-written.ts';
import { checkLifecycles } from './lifecycles.ts';
import { checkLifespans, checkReferences, turningPoints } from './lifespans.ts';
import { checkNames } from './names.ts';
import { checkPlaceholders } from './placeholders.ts';
import { checkProtobuf } from './protobuf.ts';
import { checkReleases } from './releases.ts';
import { checkResources } from './resources.ts';
import { checkServerTables } from './server-tables.ts';
import { checkStructure } from './structure.ts';
import { checkTables } from './tables.ts';

const checks: readonly ((context: CheckContext) => void)[] = [
  checkReleases,
  checkDescriptions,
  checkPlaceholders,
  checkProtobuf,
  checkFieldNumbers,
  checkLifecycles,
  checkLifespans,
  checkCopies,
  checkFiles,
  checkConversions,
  checkHandWritten,
  checkConstraints,
  checkServerTables,
];

/** What must hold in each release by itself. */
const checksOfOneRelease: readonly ((context: CheckContext) => void)[] = [
  checkNames,
  checkReferences,
  checkFields,
  checkDefaultRules,
  checkStructure,
  checkResources,
  checkTables,
  checkPrefixes,
];

export function checkModel(context: CheckContext): void {
  for (const check of checks) check(context);
  const { model, report } = context;
  const told = new Set<string>();
  for (const release of new Set([model.release, ...turningPoints(model.all)])) {
    const inRelease: Report = (code, at, problem, remedy) => {
      const key = JSON.stringify([code, at.file, at.path, problem]);
      if (!told.has(key)) report(code, at, release === model.release ? problem : `In ${release}: ${problem}`, remedy);
      told.add(key);
    };
    for (const check of checksOfOneRelease) check({ ...context, model: model.at(release), report: inRelease });
  }
}
