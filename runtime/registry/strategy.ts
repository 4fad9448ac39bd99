/**
 * What every kind goes through before it is stored: system fields, generated names, generation counting, status kept apart from the rest,
 * and validation in the order of 1.32 (metadata, schema constraints, the kind's own rules).
 */
import { randomInt } from 'node:crypto';
import type { FieldError } from '../contract/field-error.ts';
import type { PartRules, RuleContext, UpdateContext } from '../contract/kind.ts';
import type { ApiObject, ObjectMeta } from '../contract/object.ts';
import { chosenFor } from '../contract/request-context.ts';
import { unqualifiedFinalizerErrors, validateObjectMeta, validateObjectMetaUpdate } from '../kinds/metadata/object-meta.ts';
import { decode } from '../schema/codec/codec.ts';
import { copyValue } from '../schema/copy.ts';
import { type DroppedAnnotations, dropAnnotations, droppedAnnotations } from '../schema/dropped-annotations.ts';
import { deepEqual } from '../schema/equal.ts';
import { flatText } from '../schema/flat-text.ts';
import { dropGatedFields, type GatedFields, gatedFields } from '../schema/gated-fields.ts';
import { newUuid } from '../schema/random-uuid.ts';
import { shareEqual } from '../schema/share.ts';
import { newInvalid } from '../status/status.ts';
import { joined, NONE } from '../validation/joined.ts';
import { changeErrors, objectErrors, statusErrors } from '../validation/kind-errors.ts';
import { changeTextOf } from './change-text.ts';
import type { Kind } from './kind.ts';
import type { Resource } from './resource.ts';
import { withGoStructures } from './shown-structures.ts';

/**
 * The object itself; its status; a part that the kind's rules name; or, `prepared`, whatever the producer has changed in a copy of the old
 * object, of which only metadata are checked.
 */
export type UpdateTarget = 'object' | 'status' | 'prepared' | { readonly part: string };

/** Letters and digits without vowels and look-alikes, so that no words come about. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const RANDOM_LENGTH = 5;
const MAX_GENERATED_BASE = 63 - RANDOM_LENGTH;

/** The name of an object that was given the beginning of one. */
export function nameOf(resource: Resource, base: string): string {
  return resource.data.generatedNames === 'verbatim' ? base : generateName(base);
}

export function generateName(base: string): string {
  let suffix = '';
  for (let i = 0; i < RANDOM_LENGTH; i++) suffix += NAME_ALPHABET[randomInt(NAME_ALPHABET.length)];
  return flatText(`${base.slice(0, MAX_GENERATED_BASE)}${suffix}`);
}

/** RFC 3339 in UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000);
  if (second !== lastSecond) {
    lastText = flatText(`${new Date(second * 1000).toISOString().slice(0, 19)}Z`);
    lastSecond = second;
  }
  return lastText;
}

/** Every write asks for the time, most of them within the same second. */
let lastSecond = Number.NaN;
let lastText = '';

/** What clients say of it means nothing in a new object: it is gone before anybody looks at the object. */
export function clearSystemMetadata({ compiled }: Kind, metadata: ObjectMeta): void {
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  if (compiled.isGo) metadata.creationTimestamp = null;
  else delete metadata.creationTimestamp;
}

/** Fills what the server owns in a new object and lets the kind prepare it; `object` is of the hub and is changed. @returns a promise where the kind waits for something */
export function prepareForCreate(resource: Resource, hub: Kind, object: ApiObject, context: RuleContext): Promise<void> | undefined {
  const metadata = object.metadata;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  const { request } = context;
  metadata.uid = chosenFor(request, 'uid', newUuid);
  metadata.creationTimestamp = timestamp(context.now());
  const { name = '', generateName: base = '' } = metadata;
  if (name === '' && base !== '') metadata.name = chosenFor(request, 'name', () => nameOf(resource, base));
  if (resource.data.generation.length > 0) metadata.generation = 1;
  if (resource.data.statusOnCreate === 'reset' && resource.subresources.has('status')) resetStatus(hub, object);
  dropUnkept(hub, object, undefined, context);
  const preparing = hub.rules.prepareForCreate?.(object, context);
  return preparing instanceof Promise ? preparing : undefined;
}

interface Unkept {
  readonly fields: GatedFields;
  readonly annotations: readonly DroppedAnnotations[];
}

const unkept = new WeakMap<Kind, Unkept>();

/** Drops what no object keeps. Feature gates do not change while a server runs, and a kind belongs to one server. */
function dropUnkept(hub: Kind, object: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
  let found = unkept.get(hub);
  if (found === undefined) {
    const { type } = hub.data;
    found = { fields: gatedFields(type, context.featureEnabled), annotations: droppedAnnotations(type, context.text) };
    unkept.set(hub, found);
  }
  dropGatedFields(found.fields, object, old);
  if (found.annotations.length > 0) dropAnnotations(found.annotations, object);
}

/** What the types write of no status; undefined: nothing. */
const zeroStatuses = new WeakMap<Kind, { readonly status: unknown }>();

function resetStatus(hub: Kind, object: ApiObject): void {
  let zero = zeroStatuses.get(hub);
  if (zero === undefined) {
    zero = { status: decode(hub.compiled, {}, { defaults: false }).object.status };
    zeroStatuses.set(hub, zero);
  }
  if (zero.status === undefined) delete object.status;
  else object.status = copyValue(zero.status);
}

/** @throws StatusError Invalid */
export function validateCreate(resource: Resource, hub: Kind, object: ApiObject, context: RuleContext): void {
  const { metadataChecks, qualifiedFinalizers = true } = resource.data;
  const { nameFindings, own } = nameApart(
    resource,
    joined(objectErrors(hub, object, undefined, context), hub.rules.validateCreate?.(object, context) ?? NONE),
  );
  const metadata = validateObjectMeta(object.metadata, { ...metadataOptions(resource), qualifiedFinalizers, nameFindings }, 'metadata');
  // Rules that know nothing of metadata are heard before those of all kinds, which are silent when they find something.
  if (metadataChecks.length === 0) refuse(hub, object, own);
  refuse(hub, object, joined(metadata, own));
}

/** What a kind's constraints say of names counts as their format where its schema says so. @param errors of the whole object */
function nameApart(resource: Resource, errors: readonly FieldError[]): { nameFindings: readonly FieldError[]; own: readonly FieldError[] } {
  if (resource.data.constrainedName !== true) return { nameFindings: [], own: errors };
  const isOfName = ({ field }: FieldError) => field === 'metadata.name';
  return { nameFindings: errors.filter(isOfName), own: errors.filter((error) => !isOfName(error)) };
}

const metadataOptions = ({ data: { scope, nameFormat } }: Resource) => ({ namespaced: scope === 'Namespaced', nameFormat });

/** Keeps what a client may not change through the main resource, counts the generation, lets the kind prepare; changes `object`. */
export function prepareForUpdate(
  resource: Resource,
  hub: Kind,
  object: ApiObject,
  old: ApiObject,
  context: RuleContext,
): Promise<void> | undefined {
  keepSystemMetadata(object.metadata, old.metadata);
  if (resource.data.statusOnUpdate === 'reset' && resource.subresources.has('status')) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  }
  dropUnkept(hub, object, old, context);
  const preparing = hub.rules.prepareForUpdate?.(object, old, context);
  if (preparing instanceof Promise) return preparing.then(() => compareWithOld(resource, object, old));
  return compareWithOld(resource, object, old);
}

/** Keeps what stayed as it was, and counts the generation; changes `object`. */
function compareWithOld(resource: Resource, object: ApiObject, old: ApiObject): undefined {
  shareUnchanged(object, old);
  if (
    resource.data.generation.some((path) =>
      path === '*' ? hasOtherChange(resource, object, old) : !deepEqual(member(object, path), member(old, path)),
    )
  )
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** The old ones, with the version that the writer knew and the managers that the write has, if any. */
function keptMetadata({ resourceVersion, managedFields }: ObjectMeta, { managedFields: _before, ...old }: ObjectMeta): ObjectMeta {
  return { ...old, ...(resourceVersion !== undefined && { resourceVersion }), ...(managedFields !== undefined && { managedFields }) };
}

/** An update of the subresource `status`: everything else stays as it was; changes `object`. @param keepsMetadata all of them, labels too */
export function prepareForStatusUpdate(hub: Kind, object: ApiObject, old: ApiObject, context: RuleContext, keepsMetadata = false): void {
  if (keepsMetadata) object.metadata = keptMetadata(object.metadata, old.metadata);
  else keepSystemMetadata(object.metadata, old.metadata);
  for (const key of Object.keys(object)) if (!STATUS_MEMBERS.has(key) && !(key in old)) delete object[key];
  for (const key of Object.keys(old)) if (!STATUS_MEMBERS.has(key)) object[key] = old[key];
  dropUnkept(hub, object, old, context);
  hub.rules.prepareForStatusUpdate?.(object, old, context);
  shareUnchanged(object, old);
}

/**
 * What a write leaves as it was is the stored object's own from here on, so that whoever compares both, or looks only at what is new, passes it over.
 * Owners of fields are left out: their sets stay texts until somebody asks for them.
 */
function shareUnchanged(object: ApiObject, old: ApiObject): void {
  shareMembers(object, old, 'metadata');
  shareMembers(object.metadata, old.metadata, 'managedFields');
}

function shareMembers(object: object, old: object, except: string): void {
  const [changed, stored] = [object as Record<string, unknown>, old as Record<string, unknown>];
  for (const name in changed) {
    const value = changed[name];
    if (name !== except && typeof value === 'object') changed[name] = shareEqual(value, stored[name]);
  }
}

export function partRules(hub: Kind, part: string): PartRules {
  const rules = hub.rules.parts?.[part];
  if (rules === undefined) throw new Error(`${hub.kind} has no part ${part}`);
  return rules;
}

/** @returns the old object with the part that the client sent; new */
export function preparePart(rules: PartRules, sent: ApiObject, old: ApiObject, context: RuleContext): ApiObject {
  const object = copyValue(old);
  rules.take(object, sent, context);
  keepSystemMetadata(object.metadata, old.metadata);
  if (sent.metadata.managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = sent.metadata.managedFields;
  shareUnchanged(object, old);
  return object;
}

const STATUS_MEMBERS = new Set(['metadata', 'status']);

/** What no update changes; changes `metadata`. */
export function keepSystemMetadata(metadata: ObjectMeta, old: ObjectMeta): void {
  delete metadata.selfLink;
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
  target: UpdateTarget,
): void {
  const namespaced = resource.data.scope === 'Namespaced';
  const general = validateObjectMeta(object.metadata, { namespaced, nameFormat: 'pathSegment', qualifiedFinalizers: false });
  const changes = validateObjectMetaUpdate(object.metadata, old.metadata, general.length === 0);
  const checked = general.length === 0 ? namesIn(object.metadata) : object.metadata;
  const errors = [...general, ...changes, ...targetErrors(resource, hub, object, old, context, target, { checked, changes })];
  refuse(hub, object, errors);
}

/** What kinds see otherwise, each in its way, in metadata that are right for all of them. */
const namesIn = ({ name, generateName, namespace, finalizers }: ObjectMeta): ObjectMeta => ({ name, generateName, namespace, finalizers });

/** Those that the server has set itself stay: only what is new is looked at. */
function unqualifiedErrors({ metadata: { finalizers } }: ApiObject, old: ApiObject): readonly FieldError[] {
  const known = new Set(old.metadata.finalizers);
  const isKnown = finalizers === undefined || finalizers.every((each) => known.has(each));
  return isKnown ? [] : unqualifiedFinalizerErrors(finalizers, 'metadata.finalizers');
}

/** Of the metadata of an update, which most kinds look at once more. */
interface CheckedMetadata {
  /** what is left to be looked at */
  readonly checked: ObjectMeta;
  /** what is wrong with their change */
  readonly changes: readonly FieldError[];
}

function targetErrors(
  resource: Resource,
  hub: Kind,
  object: ApiObject,
  old: ApiObject,
  context: RuleContext,
  target: UpdateTarget,
  { checked, changes: metadataChanges }: CheckedMetadata,
): readonly FieldError[] {
  const { metadataChecks, qualifiedFinalizers = true } = resource.data;
  const update = () => (qualifiedFinalizers ? [...metadataChanges, ...unqualifiedErrors(object, old)] : metadataChanges);
  if (target === 'status') return [...update(), ...statusErrors(hub, object, old, context)];
  if (target === 'prepared') return metadataChanges;
  const rules = target === 'object' ? hub.rules : partRules(hub, target.part);
  const found = objectErrors(hub, object, old, context);
  const { nameFindings, own } = metadataChecks.includes('object') ? nameApart(resource, found) : { nameFindings: [], own: found };
  const check = { object: () => validateObjectMeta(checked, { ...metadataOptions(resource), nameFindings }), update };
  const [first = [], ...rest] = metadataChecks.map((name) => check[name]());
  const updating: UpdateContext = { ...context, changeText: changeTextOf(hub, object, context) };
  const changes = target === 'object' ? changeErrors(hub, object, old, updating) : (rules.validateUpdate?.(object, old, updating) ?? []);
  const whole = [...rest.flat(), ...own];
  return target === 'object' && hub.rules.changesFirst === true ? [...first, ...changes, ...whole] : [...first, ...whole, ...changes];
}

/** @throws StatusError Invalid: the kind wants to know which version is overwritten; worded with the resource's name, as in 1.32 */
export function requireResourceVersion(resource: Resource, object: ApiObject): never {
  const { group, resource: name } = resource.groupResource;
  throw newInvalid({ group, kind: name }, object.metadata.name ?? '', [
    { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message: 'Invalid value: 0x0: must be specified for an update' },
  ]);
}

function refuse(hub: Kind, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid(hub, object.metadata.name ?? '', withGoStructures(hub.data.type, errors));
}

/** Whether anything but the metadata, and the status where it is written by itself, has changed. */
function hasOtherChange(resource: Resource, object: ApiObject, old: ApiObject): boolean {
  const isApart = (name: string) => name === 'metadata' || (name === 'status' && resource.subresources.has('status'));
  return [...new Set([...Object.keys(object), ...Object.keys(old)])].some((name) => !isApart(name) && !deepEqual(object[name], old[name]));
}

function member(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
}
