/** Third step: holds the parts of the model against each other. Checks only report; none changes anything or stops the others. */
import type { CheckContext } from './check-context.ts';
import { checkConstraints } from './constraints.ts';
import { checkConversions } from './conversions.ts';
import { checkDescriptions } from './descriptions.ts';
import { checkFieldNumbers } from './field-numbers.ts';
import { checkFields } from './fields.ts';
import { checkFiles } from './files.ts';
import { checkHandWritten } from './hand-written.ts';
import { checkLifecycles } from './lifecycles.ts';
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
  checkNames,
  checkDescriptions,
  checkPlaceholders,
  checkFields,
  checkStructure,
  checkProtobuf,
  checkFieldNumbers,
  checkLifecycles,
  checkResources,
  checkFiles,
  checkConversions,
  checkTables,
  checkHandWritten,
  checkConstraints,
  checkServerTables,
];

export function checkModel(context: CheckContext): void {
  for (const check of checks) check(context);
}
