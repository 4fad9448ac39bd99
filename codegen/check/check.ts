/** Third step of the generator: compares the parts of the model with each other. A check only reports; it changes nothing and stops no other. */
import type { CheckContext } from './check-context.ts';
import { checkConstraints } from './constraints.ts';
import { checkConversionLosses } from './conversion-losses.ts';
import { checkConversions, checkPrefixes } from './conversions.ts';
import { checkCopies } from './copies.ts';
import { checkDefaultRules } from './default-rules.ts';
import { checkDescriptions } from './descriptions.ts';
import { eachRelease } from './each-release.ts';
import { checkFieldNumbers } from './field-numbers.ts';
import { checkFields } from './fields.ts';
import { checkFiles } from './files.ts';
import { checkGatedFields } from './gated-fields.ts';
import { checkHandWritten } from './hand-written.ts';
import { checkLifecycles } from './lifecycles.ts';
import { checkLifespans, checkReferences } from './lifespans.ts';
import { checkNames } from './names.ts';
import { checkPlaceholders } from './placeholders.ts';
import { checkProtobuf } from './protobuf.ts';
import { checkReleases } from './releases.ts';
import { checkResources } from './resources.ts';
import { checkServerTables } from './server-tables.ts';
import { checkStatedValues } from './stated-values.ts';
import { checkStructuralKinds } from './structural-kinds.ts';
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
  checkPrefixes,
  checkConversionLosses,
  checkHandWritten,
  checkConstraints,
  checkStructuralKinds,
  checkStatedValues,
  checkServerTables,
];

/** Checks that run for the API of each release by itself. */
const checksOfOneRelease: readonly ((context: CheckContext) => void)[] = [
  checkNames,
  checkReferences,
  checkFields,
  checkGatedFields,
  checkDefaultRules,
  checkStructure,
  checkResources,
  checkTables,
];

export function checkModel(context: CheckContext): void {
  for (const check of checks) check(context);
  eachRelease(context, (inRelease) => {
    for (const check of checksOfOneRelease) check(inRelease);
  });
}
