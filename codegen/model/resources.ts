/** Resources with every member stated. */
import type { ResourceData } from '../../runtime/contract/kind.ts';
import type { JsonObject } from '../read/sources.ts';
import type { KnownDocument } from './index-types.ts';
import type { ResourceModel } from './model.ts';

type ResourceInput = Pick<ResourceData, 'name' | 'kind' | 'singular' | 'scope' | 'verbs'> &
  Partial<Omit<ResourceModel, 'storage'>> & { readonly storage?: Partial<NonNullable<ResourceData['storage']>> };

/** A resource that can be read and names no handler is stored, under its own name and in its own version. */
export function buildResource(mark: JsonObject, document: KnownDocument): ResourceModel {
  const input = mark as unknown as ResourceInput;
  const { group, version } = document.groupVersion;
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
    subresources: input.subresources ?? [],
    ...(stored !== undefined && { storage: { prefix: input.name, group, version, kind: input.kind, ...stored } }),
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
    ...(input.expires === true && { expires: true }),
    selectableFields: input.selectableFields ?? [],
    ...(input.unselectableField !== undefined && { unselectableField: input.unselectableField }),
    ...(input.selectableAliases !== undefined && { selectableAliases: input.selectableAliases }),
    ...(input.indexedFields !== undefined && { indexedFields: input.indexedFields }),
    ...(input.resetFields !== undefined && { resetFields: input.resetFields }),
    ...(input.since !== undefined && { since: input.since }),
    ...(input.until !== undefined && { until: input.until }),
  };
}
