/** Makes a version the hub of its kinds: the form in which they are stored, to which the other versions are converted, and whose kinds have the tables. */
import type { ConversionData, ConversionStep } from '../../runtime/contract/kind.ts';
import { versionPriority } from '../../runtime/contract/version-priority.ts';
import type { GroupVersion, ModelData, ResourceModel, StructModel } from '../model/model.ts';
import { type KindOfVersion, kindsOf } from '../policy/elements/kinds.ts';
import type { SchemaFiles } from './schema-files.ts';

/** A version cannot be promoted by steps: somebody must write its conversions. */
export class PromotionError extends Error {
  override readonly name = 'PromotionError';
}

/**
 * @returns names of the kinds that are stored in another form from now on
 * @throws PromotionError if a conversion has no way back by steps; files may be edited in part then, and must not be saved
 */
export function promote(all: ModelData, version: GroupVersion, files: SchemaFiles): string[] {
  const promoted = version.resources.flatMap(({ kind, storage }) => {
    const each = kindOf(all, version.group, version.version, kind);
    const hub = storage === undefined ? undefined : kindOf(all, storage.group, storage.version, storage.kind);
    return each === undefined || hub === undefined || hub.kind === each.kind ? [] : [{ each, hub }];
  });
  for (const { each, hub } of promoted) promoteKind(all, each, hub, files);
  for (const resource of version.resources) if (resource.storage !== undefined) storeAs(all, version, resource, files);
  prefer(all, version, files);
  return promoted.map(({ each }) => each.kind.name);
}

function kindOf(all: ModelData, group: string, version: string, name: string): KindOfVersion | undefined {
  return kindsOf(all).find(
    ({ groupVersion, kind }) => groupVersion.group === group && groupVersion.version === version && kind.name === name,
  );
}

const schemaPath = ({ kind }: KindOfVersion, mark: string): string[] => ['components', 'schemas', kind.name, mark];

function promoteKind(all: ModelData, each: KindOfVersion, hub: KindOfVersion, files: SchemaFiles): void {
  const back = inverse(each);
  const to = { group: each.groupVersion.group, version: each.groupVersion.version, kind: each.kind.name };
  for (const other of kindsOf(all)) {
    const { conversion } = other.kind;
    if (other.kind === each.kind || conversion === undefined || !leadsTo(conversion, hub)) continue;
    if (conversion.function !== undefined && back.length > 0)
      throw new PromotionError(`${other.groupVersion.folder} ${other.kind.name} is converted by hand: write its way to ${to.version}`);
    const document = files.document(other.groupVersion.source);
    document.set([...schemaPath(other, 'x-cluster-conversion'), 'to'], to);
    if (back.length > 0) document.set([...schemaPath(other, 'x-cluster-conversion'), 'steps'], [...conversion.steps, ...back]);
  }
  const [newer, older] = [files.document(each.groupVersion.source), files.document(hub.groupVersion.source)];
  newer.remove(schemaPath(each, 'x-cluster-conversion'));
  older.set(schemaPath(hub, 'x-cluster-conversion'), { to, steps: back, ...notesOf(each.kind) });
  // Versions of structural schemas have tables of their own.
  const table = each.groupVersion.structural === undefined ? older.cut(schemaPath(hub, 'x-cluster-table')) : undefined;
  if (table !== undefined) newer.paste(['components', 'schemas', each.kind.name], renamedIn(table, back));
}

/**
 * Renames the paths of columns for the version that gets them.
 * @param back the steps from the former hub to the version
 */
function renamedIn(table: string, back: readonly ConversionStep[]): string {
  return back.reduce((text, step) => {
    if (step.op !== 'rename') return text;
    const path = new RegExp(`\\.${step.from.replaceAll('.', '\\.')}(?!\\w)`, 'g');
    return text.replaceAll(path, `.${step.to}`);
  }, table);
}

function leadsTo({ group, version, kind }: ConversionData, hub: KindOfVersion): boolean {
  return group === hub.groupVersion.group && version === hub.groupVersion.version && kind === hub.kind.name;
}

/**
 * @returns the steps from the former hub to the version: those of the version's conversion, reversed
 * @throws PromotionError for steps that have no way back, and for a hand-written conversion
 */
function inverse({ groupVersion, kind }: KindOfVersion): ConversionStep[] {
  const { steps = [], function: hook } = kind.conversion ?? {};
  const name = `${groupVersion.folder} ${kind.name}`;
  if (hook !== undefined) throw new PromotionError(`${name} is converted by hand (${hook}): write the way of the other version`);
  return steps.toReversed().map((step): ConversionStep => {
    if (step.op === 'rename') return { op: 'rename', from: step.to, to: step.from };
    if (step.op === 'mapValues')
      return { ...step, values: Object.fromEntries(Object.entries(step.values).map(([own, other]) => [other, own])) };
    throw new PromotionError(
      `${name} has a step ${step.op} of ${step.path}, which has no way back by steps: write the way of the other version by hand`,
    );
  });
}

function notesOf({ conversionNotes }: StructModel): object {
  const { converts = [], loses = [] } = conversionNotes ?? {};
  return { ...(converts.length > 0 && { converts }), ...(loses.length > 0 && { loses }) };
}

/** Changes the storage version where a resource states it. Resources that are stated `as` another one follow that. */
function storeAs({ groupVersions }: ModelData, version: GroupVersion, { name, storage }: ResourceModel, files: SchemaFiles): void {
  for (const groupVersion of groupVersions) {
    const same = groupVersion.resources.find((each) => each.name === name && each.storage?.prefix === storage?.prefix);
    if (same === undefined) continue;
    const document = files.document(groupVersion.source);
    const stated = document.get(['x-cluster-resources', name]) as { as?: string; storage?: object } | undefined;
    if (stated === undefined || (stated.as !== undefined && stated.storage === undefined)) continue;
    const moved = { version: version.version, ...(groupVersion.group !== version.group && { group: version.group }) };
    if (stated.storage === undefined) document.set(['x-cluster-resources', name, 'storage'], moved);
    else for (const [member, value] of Object.entries(moved)) document.set(['x-cluster-resources', name, 'storage', member], value);
  }
}

function prefer({ groupVersions }: ModelData, version: GroupVersion, files: SchemaFiles): void {
  const others = groupVersions.filter(
    ({ group, files: ofFiles, folder }) => group === version.group && ofFiles === version.files && folder !== version.folder,
  );
  const highest = Math.max(0, ...others.map((each) => each.versionPriority));
  if (version.versionPriority > highest) return;
  const document = files.document(version.source);
  if (versionPriority(version.version) > highest) document.remove(['x-cluster-group-version', 'versionPriority']);
  else document.set(['x-cluster-group-version', 'versionPriority'], highest + 1);
}
