/** How objects of one resource are counted by quotas: the rules of 1.32. */
import type { ScopedResourceSelectorRequirement } from '../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Members } from '../../registry/stored-objects/sliced-reading.ts';
import type { Amounts } from '../../schema/scalar/amounts.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

export interface Evaluator {
  /** names by which each object counts as one, whatever is in it */
  readonly plain: ReadonlySet<string>;
  /** members besides the metadata that decide how much an object uses; none: each counts as one */
  readonly members: Members;
  /** Whether a write may use more than is used already. */
  handles(attributes: AdmissionAttributes): boolean;
  /** @param name of what a quota limits, such as `requests.cpu` */
  counts(name: string): boolean;
  /** @param now milliseconds since 1970 */
  usage(object: ApiObject, now: number): Amounts;
  /** What an object does not state and must, where quotas have these names; undefined: nothing. Absent: nothing ever. */
  missing?(object: ApiObject, names: readonly string[]): string | undefined;
  /** Tells whether an object is in a scope; absent if none ever is. */
  isIn?(requirement: ScopedResourceSelectorRequirement, object: ApiObject): boolean;
  /** Returns when an object will use less without being written, in milliseconds since 1970; undefined if never. Absent if no object of the resource does. */
  changesAt?(object: ApiObject): number | undefined;
}

/** What evaluators need to know of the server. */
export interface EvaluatorParts {
  /** gives names of this dialect */
  readonly text: (template: string) => string;
  readonly featureEnabled: (gate: string) => boolean;
}

/** The name by which quotas count objects of any resource. @param group '' for the core group */
export const countName = (group: string, resource: string): string => (group === '' ? `count/${resource}` : `count/${resource}.${group}`);

/** Tells whether an operation creates or updates an object itself, and not a subresource. */
export function isWrite({ operation, subresource }: AdmissionAttributes): boolean {
  return subresource === '' && (operation === 'create' || operation === 'update');
}

export const isCreate = (attributes: AdmissionAttributes): boolean => isWrite(attributes) && attributes.operation === 'create';
