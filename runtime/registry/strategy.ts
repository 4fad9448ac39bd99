/**
 * What every kind goes through before it is stored: system fields, generated names, generation counting, status kept apart from the rest,
 * and validation in the order of 1.32 (metadata, schema constraints, the kind's own rules).
 */
import { randomInt, randomUUID } from 'node:crypto';
import type { FieldError } from '../contract/field-error.ts';
import type { RuleContext } from '../contract/kind.ts';
import type { ApiObject, ObjectMeta } from '../contract/object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../kinds/metadata/object-meta.ts';
import { decode } from '../schema/codec.ts';
import { deepEqual } from '../schema/equal.ts';
import { schemaErrors } from '../schema/validation.ts';
import { newInvalid } from '../status/status.ts';
import type { Kind } from './kind.ts';
import type { Resource } from './registry.ts';

/** Letters and digits without vowels and look-alikes, so that no words come about. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const RANDOM_LENGTH = 5;
const MAX_GENERATED_BASE = 63 - RANDOM_LENGTH;

export function generateName(base: string): string {
  let suffix = '';
  for (let i = 0; i < RANDOM_LENGTH; i++) suffix += NAME_ALPHABET[randomInt(NAME_ALPHABET.length)];
  return `${base.slice(0, MAX_GENERATED_BASE)}${suffix}`;
}

/** RFC 3339 in UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Fills what the server owns in a new object and lets the kind prepare it; `object` is of the hub and is changed. */
export async function prepareForCreate(resource: Resource, hub: Kind, object: ApiObject, context: RuleContext): Promise<void> {
  const metadata = object.metadata;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.managedFields;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = timestamp(context.now());
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '') metadata.name = generateName(metadata.generateName as string);
  if (resource.data.generation.length > 0) metadata.generation = 1;
  if (resource.data.statusOnCreate === 'reset' && resource.subresources.has('status')) resetStatus(hub, object);
  await hub.rules.prepareForCreate?.(object, context);
}

function resetStatus(hub: Kind, object: ApiObject): void {
  const zero = decode(hub.compiled, {}, { defaults: false }).object as ApiObject;
  if (zero.status === undefined) delete object.status;
  else object.status = zero.status;
}

/** @throws StatusError Invalid */
export function validateCreate(resource: Resource, hub: Kind, object: ApiObject, context: RuleContext): void {
  const errors = [
    ...validateObjectMeta(
      object.metadata,
      { namespaced: resource.data.scope === 'Namespaced', nameFormat: resource.data.nameFormat },
      'metadata',
    ),
    ...objectErrors(hub, object, context),
  ];
  refuse(hub, object, errors);
}

function objectErrors(hub: Kind, object: ApiObject, context: RuleContext): FieldError[] {
  const constraints = hub.data.validate === undefined ? [] : schemaErrors(hub.data.validate, object, hub.compiled);
  return [...constraints, ...(hub.rules.validate?.(object, context) ?? [])];
}

/** Keeps what a client may not change through the main resource, counts the generation, lets the kind prepare; changes `object`. */
export async function prepareForUpdate(
  resource: Resource,
  hub: Kind,
  object: ApiObject,
  old: ApiObject,
  context: RuleContext,
): Promise<void> {
  keepSystemMetadata(object.metadata, old.metadata);
  if (resource.subresources.has('status')) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  }
  await hub.rules.prepareForUpdate?.(object, old, context);
  if (resource.data.generation.some((path) => !deepEqual(member(object, path), member(old, path))))
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** An update of the subresource `status`: everything else stays as it was; changes `object`. */
export function prepareForStatusUpdate(hub: Kind, object: ApiObject, old: ApiObject, context: RuleContext): void {
  keepSystemMetadata(object.metadata, old.metadata);
  for (const key of Object.keys(object)) if (!STATUS_MEMBERS.has(key) && !(key in old)) delete object[key];
  for (const key of Object.keys(old)) if (!STATUS_MEMBERS.has(key)) object[key] = old[key];
  hub.rules.prepareForStatusUpdate?.(object, old, context);
}

/** An update of another part of an object, which its handler has put into a copy of the old one; changes `object`. */
export function prepareForPartUpdate(object: ApiObject, old: ApiObject): void {
  keepSystemMetadata(object.metadata, old.metadata);
}

const STATUS_MEMBERS = new Set(['metadata', 'status']);

function keepSystemMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  delete metadata.selfLink;
  delete metadata.managedFields;
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  if ((metadata.uid ?? '') === '') metadata.uid = old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds === undefined && old.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
}

/** @throws StatusError Invalid */
export function validateUpdate(
  resource: Resource,
  hub: Kind,
  object: ApiObject,
  old: ApiObject,
  context: RuleContext,
  status: boolean,
): void {
  const errors = [...validateObjectMetaUpdate(object.metadata, old.metadata)];
  if (status) {
    errors.push(...(hub.rules.validateStatusUpdate?.(object, old, context) ?? []));
  } else {
    errors.push(
      ...validateObjectMeta(
        object.metadata,
        { namespaced: resource.data.scope === 'Namespaced', nameFormat: resource.data.nameFormat },
        'metadata',
      ),
      ...objectErrors(hub, object, context),
      ...(hub.rules.validateUpdate?.(object, old, context) ?? []),
    );
  }
  refuse(hub, object, errors);
}

/** @throws StatusError Invalid: the kind wants to know which version is overwritten; worded with the resource's name, as in 1.32 */
export function requireResourceVersion(resource: Resource, object: ApiObject): never {
  const { group, resource: name } = resource.groupResource;
  throw newInvalid({ group, kind: name }, object.metadata.name ?? '', [
    { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message: 'Invalid value: 0x0: must be specified for an update' },
  ]);
}

function refuse(hub: Kind, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid(hub, object.metadata.name ?? '', errors);
}

function member(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
}
