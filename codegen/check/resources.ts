/** Checks resources and subresources: their kinds, their storage, and the members that they name. */
import type { ResourceData, SubresourceData } from '../../runtime/contract/kind.ts';
import type { GroupVersion, StructModel } from '../model/model.ts';
import type { CheckContext } from './check-context.ts';
import { findKind, typeAtPath } from './members.ts';
import { resourcePlace } from './places.ts';

export function checkResources(context: CheckContext): void {
  checkGroupVersions(context);
  for (const groupVersion of context.model.groupVersions) {
    checkDuplicates(groupVersion, context);
    for (const resource of groupVersion.resources) checkResource(groupVersion, resource, context);
  }
}

function checkGroupVersions({ model, report }: CheckContext): void {
  const seen = new Map<string, string>();
  for (const { group, version, source, files } of model.groupVersions) {
    // Kinds of files have a group and a version too, although they are not served.
    if (files) continue;
    const other = seen.get(`${group}/${version}`);
    if (other !== undefined)
      report('CS041', { file: source, path: 'x-cluster-group-version' }, `${group}/${version} is declared in ${other} too.`);
    seen.set(`${group}/${version}`, source);
  }
}

/** Within one group version, a name, singular or short name must lead to one resource. */
function checkDuplicates(groupVersion: GroupVersion, { report }: CheckContext): void {
  const owners = new Map<string, string>();
  for (const { name, singular, shortNames, subresources } of groupVersion.resources) {
    const at = resourcePlace(groupVersion, name);
    for (const word of new Set([name, singular, ...shortNames])) {
      const other = owners.get(word);
      if (other !== undefined) report(word === name && other === name ? 'CS043' : 'CS017', at, `${word} means ${other} already.`);
      owners.set(word, name);
    }
    const names = subresources.map((subresource) => subresource.name);
    for (const twice of new Set(names.filter((each, index) => names.indexOf(each) !== index)))
      report('CS043', at, `There are two subresources ${twice}.`);
  }
}

function checkResource(groupVersion: GroupVersion, resource: ResourceData, context: CheckContext): void {
  const { model, report } = context;
  const at = resourcePlace(groupVersion, resource.name);
  for (const { featureGate } of [resource, ...resource.subresources])
    if (featureGate !== undefined && !model.featureGates.some(({ name }) => name === featureGate))
      report('CS053', at, `There is no feature gate ${featureGate}.`);
  if (resource.storage === undefined && resource.handler === undefined) report('CS044', at, 'It has no storage and no handler.');
  const kind = findKind(model, groupVersion.group, groupVersion.version, resource.kind);
  if (kind === undefined) report('CS042', at, `There is no kind ${resource.kind} in ${groupVersion.folder}.`);
  else {
    if (resource.verbs.includes('list') && kind.list === undefined)
      report('CS049', at, `${groupVersion.folder} has no kind ${kind.name}List.`);
    checkPaths(groupVersion, resource, kind, context);
  }
  for (const subresource of resource.subresources) checkSubresource(groupVersion, resource, subresource, kind, context);
}

function checkPaths(groupVersion: GroupVersion, resource: ResourceData, kind: StructModel, { model, report }: CheckContext): void {
  for (const path of resource.generation)
    if (path !== '*' && typeAtPath(model, kind, path) === undefined)
      report('CS045', resourcePlace(groupVersion, resource.name, 'generation'), `${kind.name} has no ${path}.`);
  for (const path of resource.indexedFields ?? [])
    if (!resource.selectableFields.includes(path))
      report('CS069', resourcePlace(groupVersion, resource.name, 'indexedFields'), `${path} is not selectable.`);
  for (const path of Object.values(resource.selectableAliases ?? {}))
    if (!resource.selectableFields.includes(path))
      report('CS069', resourcePlace(groupVersion, resource.name, 'selectableAliases'), `${path} is not selectable.`);
  // Rules may compute the value of a field that is no member.
  if (kind.rules !== undefined) return;
  for (const path of resource.selectableFields)
    if (typeAtPath(model, kind, path) === undefined)
      report('CS045', resourcePlace(groupVersion, resource.name, 'selectableFields'), `${kind.name} has no ${path}.`);
}

function checkSubresource(
  groupVersion: GroupVersion,
  resource: ResourceData,
  subresource: SubresourceData,
  kind: StructModel | undefined,
  { model, report }: CheckContext,
): void {
  const at = resourcePlace(groupVersion, resource.name, subresource.name);
  const { group = groupVersion.group, version = groupVersion.version, scale, name } = subresource;
  if (!model.groupVersions.some((each) => each.group === group && each.version === version))
    report('CS058', at, `${subresource.kind} is of version ${version} of group "${group}".`);
  else if (findKind(model, group, version, subresource.kind) === undefined)
    report('CS042', at, `There is no kind ${subresource.kind} in version ${version} of group "${group}".`);
  // A definition may name paths that its schema does not declare.
  if (scale !== undefined && kind !== undefined && groupVersion.structural === undefined)
    for (const path of [scale.specReplicas, scale.statusReplicas, scale.selector])
      if (path !== '' && typeAtPath(model, kind, path) === undefined) report('CS045', at, `${kind.name} has no ${path}.`);
  // Handlers exist only for the current release.
  if (model.release !== model.currentRelease) return;
  // `status`, and subresources that the kind's rules name, take and answer with the kind itself.
  const ofTheKind = subresource.kind === resource.kind && subresource.group === undefined && subresource.version === undefined;
  if (name === 'scale' ? scale === undefined && subresource.handler === undefined : !ofTheKind && subresource.handler === undefined)
    report('CS044', at, name === 'scale' ? 'It does not say where the replicas are.' : 'It has no handler, and speaks another kind.');
}
