/** References to the owners of an object. */
import { type FieldError, invalid, MOST_FINDINGS } from '../../contract/field-error.ts';
import type { ObjectMeta, OwnerReference } from '../../contract/object.ts';
import { goQuote } from '../../go-text/quote.ts';
import { goAddress, goStructure, invalidShown } from '../../go-text/values.ts';

const NO_ERRORS: readonly FieldError[] = [];

/** All errors stand at the path of the list: 1.32 names no index. */
export function validateOwnerReferences(references: readonly OwnerReference[] | undefined, path: string): readonly FieldError[] {
  if (references === undefined) return NO_ERRORS;
  const errors: FieldError[] = [];
  let controller: string | undefined;
  let all: string | undefined;
  for (const reference of references) {
    if (errors.length > MOST_FINDINGS) break;
    errors.push(...validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller !== undefined) {
      all ??= `[]${TYPE}{${references.map(shownReference).join(', ')}}`;
      const problem = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalidShown(path, all, problem));
    } else controller = name;
  }
  return errors;
}

function validateOwnerReference(reference: OwnerReference, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { group, version } = parseApiVersion(reference.apiVersion ?? '');
  if (version === '') errors.push(invalid(`${path}.apiVersion`, reference.apiVersion ?? '', 'version must not be empty'));
  for (const member of ['kind', 'name', 'uid'] as const)
    if ((reference[member] ?? '') === '') errors.push(invalid(`${path}.${member}`, '', `${member} must not be empty`));
  // Events may not own anything: they go away by themselves.
  if (group === '' && version === 'v1' && reference.kind === 'Event')
    errors.push(invalidShown(path, shownReference(reference), '/v1, Kind=Event is disallowed from being an owner'));
  return errors;
}

const TYPE = 'v1.OwnerReference';

/** In Go's notation, as 1.32 shows a structure in an error. */
function shownReference({ apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion }: OwnerReference): string {
  const pointer = (value: boolean | undefined): string => `(*bool)(${value === undefined ? 'nil' : goAddress()})`;
  return goStructure(TYPE, {
    APIVersion: goQuote(apiVersion),
    Kind: goQuote(kind),
    Name: goQuote(name),
    UID: goQuote(uid),
    Controller: pointer(controller),
    BlockOwnerDeletion: pointer(blockOwnerDeletion),
  });
}

/** More than one slash makes no version at all. */
function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split('/');
  if (parts.length === 1) return { group: '', version: apiVersion };
  if (parts.length === 2) return { group: parts[0] as string, version: parts[1] as string };
  return { group: '', version: '' };
}

/**
 * Drops references that say the same as an earlier one. 1.32 does so for every write, before admission and again after it.
 * @param metadata changed
 * @returns the warning for the client; undefined where nothing was dropped
 */
export function dropDuplicateOwners(metadata: ObjectMeta, when: 'sent' | 'admitted'): string | undefined {
  const { ownerReferences: references = [] } = metadata;
  if (references.length < 2) return undefined;
  const kept = new Map<string, OwnerReference>();
  const dropped: string[] = [];
  for (const reference of references) {
    const said = JSON.stringify([
      reference.apiVersion,
      reference.kind,
      reference.name,
      reference.uid,
      reference.controller,
      reference.blockOwnerDeletion,
    ]);
    if (kept.has(said)) dropped.push(reference.uid);
    else kept.set(said, reference);
  }
  if (dropped.length === 0) return undefined;
  metadata.ownerReferences = [...kept.values()];
  const found = `duplicate UID(s) observed: ${dropped.join(', ')}`;
  return when === 'sent'
    ? `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; ${found}`
    : `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; ${found}`;
}
