/** Makes the registry's data about a custom resource in one version. */
import type { ResourceData, SubresourceData, Verb } from '../contract/kind.ts';
import { SCALE_TABLE } from './custom-columns.ts';
import { type CustomDefinition, type CustomScale, type CustomVersion, storedVersion } from './definition.ts';

const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const PART_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

/** @param isTerminating whether the definition is being deleted, and its objects with it, so that no more can be created */
export function customResource(definition: CustomDefinition, version: CustomVersion, isTerminating: boolean): ResourceData {
  const { group, scope, names } = definition.spec;
  const stored = storedVersion(definition);
  return {
    name: names.plural,
    kind: names.kind,
    singular: names.singular ?? names.kind.toLowerCase(),
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: isTerminating ? VERBS.filter((verb) => verb !== 'create') : VERBS,
    subresources: subresources(version, names.kind),
    storage: { prefix: `${group}/${names.plural}`, group, version: stored.name, kind: names.kind },
    nameFormat: 'dnsSubdomain',
    generation: ['*'],
    statusOnCreate: 'reset',
    statusOnUpdate: 'reset',
    watchCache: true,
    metadataChecks: ['update'],
    qualifiedFinalizers: false,
    generatedNames: 'random',
    putCreates: false,
    unconditionalUpdate: false,
    deleteAnswers: 'status',
    isDefined: true,
    ...(isTerminating && { isTerminating }),
    selectableFields: selectedFields(version),
    unselectableField: 'field label not supported: {field}',
  };
}

/** The paths of selectable fields as field selectors have them: without the dot at the beginning, such as `spec.color`. */
function selectedFields({ selectableFields = [] }: CustomVersion): string[] {
  return selectableFields.map(({ jsonPath }) => dotted(jsonPath));
}

const dotted = (path: string): string => path.replace(/^\./, '');

function subresources({ subresources: { status, scale } = {} }: CustomVersion, kind: string): SubresourceData[] {
  return [
    ...(status === undefined ? [] : [{ name: 'status', kind, verbs: PART_VERBS, resetFields: ['metadata', 'spec'] }]),
    ...(scale === undefined ? [] : [scaleOf(scale)]),
  ];
}

function scaleOf({ specReplicasPath, statusReplicasPath, labelSelectorPath = '' }: CustomScale): SubresourceData {
  return {
    name: 'scale',
    kind: 'Scale',
    group: 'autoscaling',
    version: 'v1',
    verbs: PART_VERBS,
    scale: {
      specReplicas: dotted(specReplicasPath),
      statusReplicas: dotted(statusReplicasPath),
      selector: dotted(labelSelectorPath),
      table: SCALE_TABLE,
    },
  };
}
