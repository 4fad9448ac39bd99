/** Third step: holds the parts of the model against each other. Checks only report; none changes anything or stops the others. */
import type { GroupVersion, Model, NamedType } from '../model/model.ts';
import type { Sources } from '../read/sources.ts';
import { checkConstraints } from './constraints.ts';
import { checkConversions } from './conversions.ts';
import { checkDescriptions } from './descriptions.ts';
import type { Report } from './diagnostic.ts';
import { checkFields } from './fields.ts';
import { checkFiles } from './files.ts';
import { checkLifecycles } from './lifecycles.ts';
import { checkNames } from './names.ts';
import { checkPlaceholders } from './placeholders.ts';
import { checkProtobuf } from './protobuf.ts';
import { checkReleases } from './releases.ts';
import { checkResources } from './resources.ts';
import { checkServerTables } from './server-tables.ts';
import { checkStructure } from './structure.ts';
import { checkTables } from './tables.ts';

export interface CheckContext {
  readonly model: Model;
  readonly sources: Sources;
  readonly report: Report;
}

const checks: readonly ((context: CheckContext) => void)[] = [
  checkReleases,
  checkNames,
  checkDescriptions,
  checkPlaceholders,
  checkFields,
  checkStructure,
  checkProtobuf,
  checkLifecycles,
  checkResources,
  checkFiles,
  checkConversions,
  checkTables,
  checkConstraints,
  checkServerTables,
];

export function checkModel(context: CheckContext): void {
  for (const check of checks) check(context);
}

/** Place of a type, or of one of its fields, in its document. */
export function placeOf(groupVersion: GroupVersion, type: NamedType, field?: string): { file: string; path: string } {
  const path = `components.schemas.${type.name}`;
  return { file: groupVersion.source, path: field === undefined ? path : `${path}.properties.${field}` };
}

/** Place of something that a resource states. */
export function resourcePlace(groupVersion: GroupVersion, resource: string, member = ''): { file: string; path: string } {
  return { file: groupVersion.source, path: `x-cluster-resources.${resource}${member === '' ? '' : `.${member}`}` };
}
