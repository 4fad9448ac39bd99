/** Checks that every version of a stored kind is converted to the hub, and that the steps of conversions name members that exist. */
import type { ConversionStep, ResourceData } from '../../runtime/contract/kind.ts';
import type { GroupVersion, ModelData, StructModel } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { closedValues } from './closed-values.ts';
import type { Report } from './diagnostic.ts';
import { findKind, typeAtPath } from './members.ts';
import { placeOf, resourcePlace } from './places.ts';

/** Checks the conversions of all releases, because objects of removed versions are still converted to and from the hub of today. */
export function checkConversions({ model: { all: model }, report }: CheckContext): void {
  for (const groupVersion of model.groupVersions) {
    for (const resource of groupVersion.resources) checkStorage(groupVersion, resource, { model, report });
    for (const type of groupVersion.types)
      if (type.kind === 'struct' && type.conversion !== undefined) checkConversion(groupVersion, type, { model, report });
  }
}

/** Checks that objects under one prefix are stored in one form, whatever release states it: those that one release stored are still there in the next. */
export function checkPrefixes({ model, report }: CheckContext): void {
  const forms = new Map<string, string>();
  for (const groupVersion of model.all.groupVersions)
    for (const { name, storage } of groupVersion.resources) {
      if (storage === undefined) continue;
      const form = `${storage.kind} in version ${storage.version} of group "${storage.group}"`;
      const other = forms.get(storage.prefix) ?? form;
      if (other !== form) report('CS056', resourcePlace(groupVersion, name, 'storage'), `${storage.prefix} holds ${other}, here ${form}.`);
      forms.set(storage.prefix, other);
    }
}

interface AllReleases {
  readonly model: ModelData;
  readonly report: Report;
}

function checkStorage(groupVersion: GroupVersion, resource: ResourceData, { model, report }: AllReleases): void {
  const { storage } = resource;
  if (storage === undefined) return;
  const at = resourcePlace(groupVersion, resource.name, 'storage');
  const hub = findKind(model, storage.group, storage.version, storage.kind);
  if (hub === undefined)
    return report('CS042', at, `There is no kind ${storage.kind} in version ${storage.version} of group "${storage.group}".`);
  checkInEtcd({ ...storage, hub, at }, { model, report });
  const kind = findKind(model, groupVersion.group, groupVersion.version, resource.kind);
  if (kind === undefined) return;
  const { conversion } = kind;
  if (kind === hub) {
    if (conversion !== undefined)
      report('CS047', at, `${kind.name} is stored as it is, but is to be converted.`, 'Remove the conversion, or state the storage.');
  } else if (conversion === undefined)
    report('CS046', at, `${kind.name} of ${groupVersion.folder} is stored as ${hub.name} of ${hub.folder}.`);
  else if (findKind(model, conversion.group, conversion.version, conversion.kind) !== hub)
    report('CS047', at, `${kind.name} is converted to another form than ${hub.name} of ${hub.folder}.`);
}

type InEtcd = NonNullable<ResourceData['storage']> & { readonly hub: StructModel; readonly at: ReturnType<typeof resourcePlace> };

/** Checks that objects become the version that is to stand in etcd, and come back from it. */
function checkInEtcd({ group, kind, jsonInEtcd, hub, at }: InEtcd, { model, report }: AllReleases): void {
  if (jsonInEtcd === undefined) return;
  const found = findKind(model, group, jsonInEtcd, kind);
  if (found === undefined) return report('CS042', at, `There is no kind ${kind} in version ${jsonInEtcd} of group "${group}".`);
  if (found !== hub && found.conversion === undefined)
    report('CS046', at, `${kind} stands in etcd in version ${jsonInEtcd}, and is stored as ${hub.name} of ${hub.folder}.`);
}

function checkConversion(groupVersion: GroupVersion, kind: StructModel, { model, report }: AllReleases): void {
  const { conversion } = kind;
  if (conversion === undefined) return;
  const place = placeOf(groupVersion, kind);
  const at = { file: place.file, path: `${place.path}.x-cluster-conversion` };
  const hub = findKind(model, conversion.group, conversion.version, conversion.kind);
  if (hub === undefined)
    return report('CS047', at, `There is no kind ${conversion.kind} in version ${conversion.version} of group "${conversion.group}".`);
  if (hub.conversion !== undefined) report('CS047', at, `${hub.name} of ${hub.folder} is no hub: it is converted itself.`);
  conversion.steps.forEach((step, index) => {
    const place = { file: at.file, path: `${at.path}.steps.${index}` };
    const problem = stepProblem(model, kind, hub, step);
    if (problem !== undefined) report('CS045', place, problem);
    else if (step.op === 'mapValues')
      for (const each of valueProblems(model, kind, hub, step))
        report('CS101', place, each, 'Map each value of the version to one of the hub.');
  });
}

/** Steps run one after the other. What an earlier step has moved has the hub's name by then, so a path may be of either version. */
function stepProblem(model: ModelData, kind: StructModel, hub: StructModel, step: ConversionStep): string | undefined {
  const has = (struct: StructModel, path: string): boolean => typeAtPath(model, struct, path) !== undefined;
  if (step.op === 'rename') {
    if (!has(kind, step.from)) return `${kind.name} of ${kind.folder} has no ${step.from}.`;
    return has(hub, step.to) ? undefined : `${hub.name} of ${hub.folder} has no ${step.to}.`;
  }
  return has(kind, step.path) || has(hub, step.path) ? undefined : `Neither version of ${kind.name} has ${step.path}.`;
}

/** Checks that both versions have the values of a step, and that no two of them become the same value, for which there would be no way back. */
function valueProblems(
  model: ModelData,
  kind: StructModel,
  hub: StructModel,
  { path, values }: Extract<ConversionStep, { op: 'mapValues' }>,
): string[] {
  const unknown = (struct: StructModel, used: readonly string[]): string[] => {
    const use = typeAtPath(model, struct, path);
    const known = use === undefined || use === 'anything' ? undefined : closedValues(use);
    const never = known === undefined ? [] : used.filter((value) => !known.includes(value));
    return never.map((value) => `${path} of ${struct.name} of ${struct.folder} is never ${value}.`);
  };
  const mapped = Object.values(values);
  const twice = new Set(mapped.filter((value, index) => mapped.indexOf(value) !== index));
  return [
    ...unknown(kind, Object.keys(values)),
    ...unknown(hub, mapped),
    ...[...twice].map((value) => `More than one value becomes ${value}, so there is no way back.`),
  ];
}
