/** Which objects, and objects of which namespaces, a webhook wants to see. */
import type { ApiObject } from '../../contract/object.ts';
import type { ObjectLookup } from '../../registry/object-lookup.ts';
import { isEmpty, type LabelSelector, type Labels, matches } from '../../selectors/label-selector.ts';
import { newNotFound, type StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

/** An error stands for a namespace that is not there: it counts only where all else matches. */
export type Selected = boolean | StatusError;

export function isSelectedByNamespace(
  selector: LabelSelector | undefined,
  attributes: AdmissionAttributes,
  objects: Pick<ObjectLookup, 'shared'>,
): Selected {
  const { namespace, resource } = attributes;
  const isNamespaces = resource.data.name === 'namespaces';
  if ((namespace === '' && !isNamespaces) || selectsAll(selector)) return true;
  const labels = namespaceLabels(attributes, objects);
  return labels === undefined ? newNotFound(NAMESPACES, attributes.namespace) : matches(selector, labels);
}

const NAMESPACES = { group: '', resource: 'namespaces' };

/** A namespace that is written has the labels that it is to have. */
function namespaceLabels(attributes: AdmissionAttributes, objects: Pick<ObjectLookup, 'shared'>): Labels | undefined {
  const { operation, resource, subresource, namespace, object } = attributes;
  if (resource.data.name === 'namespaces' && subresource === '' && (operation === 'create' || operation === 'update'))
    return object?.metadata?.labels ?? {};
  const found = objects.shared('namespaces', '', namespace);
  return found && (found.metadata.labels ?? {});
}

/** Either as it was or as it is to be. */
export function isSelectedByObject(selector: LabelSelector | undefined, { object, old }: AdmissionAttributes): boolean {
  return selectsAll(selector) || [object, old].some((each) => hasMetadata(each) && matches(selector, each.metadata.labels));
}

const selectsAll = (selector: LabelSelector | undefined): boolean => selector === undefined || isEmpty(selector);

/** Options of a connection have none. */
const hasMetadata = (object: ApiObject | undefined): object is ApiObject => object?.metadata !== undefined;
