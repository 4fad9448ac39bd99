/** Makes resources of what schemas state, with every member that has a default filled in. */

import path from 'node:path';
import type { ResourceData } from '../../runtime/contract/kind.ts';
import type { Report } from '../check/diagnostic.ts';
import type { JsonObject } from '../read/sources.ts';
import type { KnownDocument } from './index-types.ts';
import type { ResourceModel } from './model.ts';

type ResourceInput = Pick<ResourceData, 'name' | 'kind' | 'singular' | 'scope' | 'verbs'> &
  Partial<Omit<ResourceModel, 'storage'>> & { readonly storage?: Partial<NonNullable<ResourceData['storage']>> };

/** What every resource has that is stated as definitions state theirs: custom resources behave so. */
const STRUCTURAL: Partial<ResourceModel> = {
  generation: ['*'],
  qualifiedFinalizers: false,
  unconditionalUpdate: false,
  isDefined: true,
  unselectableField: 'field label not supported: {field}',
};

/** What an update of the status of a custom resource leaves alone: such an update changes the status alone, and its manager comes to own nothing else. */
const OF_STATUS = ['metadata', 'spec'];

type Documents = ReadonlyMap<string, KnownDocument>;

/**
 * @param document the document that states the resources
 * @param documents all documents, by file
 */
export function buildResources(document: KnownDocument, documents: Documents, report: Report): ResourceModel[] {
  return document.resources.flatMap((mark) => buildStated(mark, document, documents, report) ?? []);
}

/** A resource with `as` is the one of that name in another version: it is stored as that one, and shares all of its members that are not stated here. */
function buildStated(mark: JsonObject, document: KnownDocument, documents: Documents, report: Report): ResourceModel | undefined {
  const { as, ...stated } = mark;
  if (typeof as !== 'string') return buildResource(stated, document);
  const target = documents.get(path.posix.join(path.posix.dirname(document.file), as));
  const other = target?.resources.find(({ name, as: further }) => name === stated.name && further === undefined);
  if (target === undefined || other === undefined) {
    report('CS010', { file: document.file, path: `x-cluster-resources.${stated.name}.as` }, `${as} states no resource ${stated.name}.`);
    return undefined;
  }
  const { since: _since, until: _until, ...members } = buildResource(other, target);
  return buildResource({ ...members, ...stated }, document);
}

/** A resource that can be read and names no handler is stored, under its own name and in its own version, where it does not say otherwise. */
function buildResource(mark: JsonObject, document: KnownDocument): ResourceModel {
  const { group, version, structural } = document.groupVersion;
  const input = { ...(structural === true && STRUCTURAL), ...mark } as unknown as ResourceInput;
  const stored =
    input.storage ?? (input.handler === undefined && input.verbs.some((verb) => verb === 'get' || verb === 'list') ? {} : undefined);
  return {
    name: input.name,
    kind: input.kind,
    singular: input.singular,
    scope: input.scope,
    shortNames: input.shortNames ?? [],
    categories: input.categories ?? [],
    verbs: input.verbs,
    ...(input.featureGate !== undefined && { featureGate: input.featureGate }),
    subresources: (input.subresources ?? []).map((each) =>
      structural === true && each.name === 'status' ? { resetFields: OF_STATUS, ...each } : each,
    ),
    ...(stored !== undefined && {
      storage: { prefix: structural === true ? `${group}/${input.name}` : input.name, group, version, kind: input.kind, ...stored },
    }),
    ...(input.handler !== undefined && { handler: input.handler }),
    nameFormat: input.nameFormat ?? 'dnsSubdomain',
    generation: input.generation ?? [],
    statusOnCreate: input.statusOnCreate ?? 'reset',
    statusOnUpdate: input.statusOnUpdate ?? 'reset',
    watchCache: input.watchCache ?? true,
    metadataChecks: input.metadataChecks ?? ['update'],
    generatedNames: input.generatedNames ?? 'random',
    putCreates: input.putCreates ?? false,
    unconditionalUpdate: input.unconditionalUpdate ?? true,
    deleteAnswers: input.deleteAnswers ?? 'status',
    ...(input.defaultPropagation !== undefined && { defaultPropagation: input.defaultPropagation }),
    ...(input.unseenBy !== undefined && { unseenBy: input.unseenBy }),
    ...(input.notEnforced !== undefined && { notEnforced: input.notEnforced }),
    ...(input.expires === true && { expires: true }),
    selectableFields: input.selectableFields ?? [],
    ...(input.unselectableField !== undefined && { unselectableField: input.unselectableField }),
    ...(input.selectableAliases !== undefined && { selectableAliases: input.selectableAliases }),
    ...(input.indexedFields !== undefined && { indexedFields: input.indexedFields }),
    ...(input.resetFields !== undefined && { resetFields: input.resetFields }),
    ...(input.constrainedName === true && { constrainedName: true }),
    ...(input.generationSeesEmpty === true && { generationSeesEmpty: true }),
    ...(input.rulesSeeEmpty === true && { rulesSeeEmpty: true }),
    ...(input.changesSeeEmpty !== undefined && { changesSeeEmpty: input.changesSeeEmpty }),
    ...(input.qualifiedFinalizers === false && { qualifiedFinalizers: false }),
    ...(input.isDefined === true && { isDefined: true }),
    ...(input.since !== undefined && { since: input.since }),
    ...(input.until !== undefined && { until: input.until }),
  };
}
