import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '../../../generated/apiextensions/v1/types.ts';
import { deepEqual } from '../../schema/equal.ts';
import { type Strictness, strictnessAfter } from './strictness.ts';

/** Which parts of versions are meant. */
export interface Parts {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectable: boolean;
}

/** What rules of a specification know of the whole. */
export interface DefinitionFacts {
  readonly strictness: Strictness;
  /** parts that are the same in all versions */
  readonly shared: Parts;
}

export function facts({ versions }: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec | undefined): DefinitionFacts {
  return { strictness: strictnessAfter(old), shared: partsInCommon(versions ?? []) };
}

function partsInCommon(versions: readonly CustomResourceDefinitionVersion[]): Parts {
  const alike = (name: keyof CustomResourceDefinitionVersion) => versions.every((version) => deepEqual(version[name], versions[0]?.[name]));
  return {
    schema: alike('schema'),
    subresources: alike('subresources'),
    columns: alike('additionalPrinterColumns'),
    selectable: alike('selectableFields'),
  };
}
