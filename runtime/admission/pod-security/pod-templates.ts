/** Where objects that make pods have what they make them of; the list is that of 1.32. */
import type { ApiObject } from '../../contract/object.ts';
import type { GroupResource } from '../../status/status.ts';
import type { PodParts } from './evaluation.ts';

interface Templated {
  readonly group: string;
  readonly templateOf: (object: ApiObject) => PodParts | undefined;
}

const ofSpec = (group: string): Templated => ({ group, templateOf: ({ spec }) => spec?.template });
const TEMPLATED: ReadonlyMap<string, Templated> = new Map([
  ['podtemplates', { group: '', templateOf: ({ template }) => template }],
  ['replicationcontrollers', ofSpec('')],
  ['daemonsets', ofSpec('apps')],
  ['deployments', ofSpec('apps')],
  ['replicasets', ofSpec('apps')],
  ['statefulsets', ofSpec('apps')],
  ['jobs', ofSpec('batch')],
  ['cronjobs', { group: 'batch', templateOf: ({ spec }) => spec?.jobTemplate?.spec?.template }],
]);

/** @returns undefined for a resource whose objects make no pods */
export function templateReader({ group, resource }: GroupResource): Templated['templateOf'] | undefined {
  const templated = TEMPLATED.get(resource);
  return templated?.group === group ? templated.templateOf : undefined;
}
