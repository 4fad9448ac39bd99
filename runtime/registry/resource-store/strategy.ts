/**
 * What every kind goes through before it is stored: system fields, generated names, generation counting, status kept apart from the rest,
 * and validation in the order of 1.32 (metadata, schema constraints, the kind's own rules).
 */
import { randomInt } from 'node:crypto';
import type { FieldError } from '../../contract/field-error.ts';
import type { StatusHandling } from '../../contract/kind.ts';
import type { PartRules, RuleContext, UpdateContext } from '../../contract/kind-rules.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { chosenFor } from '../../contract/request-context.ts';
import { unqualifiedFinalizerErrors, validateObjectMeta, validateObjectMetaUpdate } from '../../kinds/metadata/object-meta.ts';
import { decode } from '../../schema/codec/codec.ts';
import { copyValue } from '../../schema/copy.ts';
import { type DroppedAnnotations, dropAnnotations, droppedAnnotations } from '../../schema/dropped-annotations.ts';
import { emptiedMembers, losesEmpty, withEmptied } from '../../schema/emptied-members.ts';
import { deepEqual } from '../../schema/equal.ts';
import { dropGatedFields, type GatedFields, gatedFields } from '../../schema/gated-fields.ts';
import { newUuid } from '../../schema/random-uuid.ts';
import { shareEqual } from '../../schema/share.ts';
import { flatText } from '../../schema/text/flat-text.ts';
import { newInvalid } from '../../status/status.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { changeErrors, objectErrors, statusErrors } from '../../validation/kind-errors.ts';
import { changeTextOf } from '../kinds/change-text.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Resource } from '../resources/resource.ts';
import { withGoStructures } from './shown-structures.ts';

/**
 * What an update changes: the object itself, its status, or a part that the kind's rules name. `prepared`: the producer has changed a copy of the stored
 * object, of which only the metadata are checked.
 */
export type UpdateTarget = 'object' | 'status' | 'prepared' | { readonly part: string };

/** Letters and digits without vowels and look-alikes, so that no name reads as a word. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const RANDOM_LENGTH = 5;
const MAX_GENERATED_BASE = 63 - RANDOM_LENGTH;

/** The name of an object that has none. @param base its generateName */
export function nameOf(resource: Resource, base: string): string {
  return resource.data.generatedNames === 'verbatim' ? base : generateName(base);
}

export function generateName(base: string): string {
  let suffix = '';
  for (let i = 0; i < RANDOM_LENGTH; i++) suffix += NAME_ALPHABET[randomInt(NAME_ALPHABET.length)];
  return flatText(`${base.slice(0, MAX_GENERATED_BASE)}${suffix}`);
}

/** Writes a time by RFC 3339 in UTC, in whole seconds. @param milliseconds since 1970 */
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

/** Drops the metadata of a new object that only the server sets, before anything reads the object. Changes `metadata`. */
export function clearSystemMetadata({ compiled }: Kind, metadata: ObjectMeta): void {
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  if (compiled.isGo) metadata.creationTimestamp = null;
  else delete metadata.creationTimestamp;
}

/**
 * Sets the metadata that the server owns in a new object, and lets the kind prepare it.
 * @param object of the hub; changed
 * @returns a promise where the kind waits for something
 */
export function prepareForCreate(resource: Resource, hub: Kind, object: ApiObject, context: RuleContext): Promise<void> | undefined {
  const metadata = object.metadata;
  delete metadata.selfLink;
  const { request } = context;
  metadata.uid = chosenFor(request, 'uid', newUuid);
  metadata.creationTimestamp = timestamp(context.now());
  const { name = '', generateName: base = '' } = metadata;
  if (name === '' && base !== '') metadata.name = chosenFor(request, 'name', () => nameOf(resource, base));
  if (resource.data.generation.length > 0) metadata.generation = 1;
  if (isReset(resource, resource.data.statusOnCreate)) resetStatus(hub, object);
  dropUnkept(hub, object, undefined, context);
  const preparing = hub.rules.prepareForCreate?.(object, context);
  return preparing instanceof Promise ? preparing : undefined;
}

const isReset = (resource: Resource, handling: StatusHandling): boolean =>
  handling === 'always' || (handling === 'reset' && resource.subresources.has('status'));

/** What no object of a kind keeps. */
interface Unkept {
  readonly fields: GatedFields;
  readonly annotations: readonly DroppedAnnotations[];
}

const unkept = new WeakMap<Kind, Unkept>();

/**
 * Drops fields whose feature gate is off, and annotations that are never stored. What these are is found out once for a kind: gates do not change while a
 * server runs, and a kind belongs to one server.
 */
export function dropUnkept(hub: Kind, object: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
  let found = unkept.get(hub);
  if (found === undefined) {
    const { type } = hub.data;
    found = { fields: gatedFields(type, context.featureEnabled), annotations: droppedAnnotations(type, context.text) };
    unkept.set(hub, found);
  }
  dropGatedFields(found.fields, object, old);
  if (found.annotations.length > 0) dropAnnotations(found.annotations, object);
}

/** The status of an object that has none, as its Go type is written: some types write an empty one. */
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

/** The status that a custom kind gives objects without one, by its schema. */
const defaultStatuses = new WeakMap<Kind, { readonly status: unknown }>();

/**
 * Gives a new object of a custom kind the status that its schema has by default. As in 1.32, the object is validated without it, and whoever reads it finds it.
 * Changes `object`.
 */
export function completeStatus(hub: Kind, object: ApiObject): void {
  if (hub.compiled.isGo || object.status !== undefined) return;
  let given = defaultStatuses.get(hub);
  if (given === undefined) {
    given = { status: hub.decode({}).object.status };
    defaultStatuses.set(hub, given);
  }
  if (given.status !== undefined) object.status = copyValue(given.status);
}

/** @throws StatusError Invalid */
export function validateCreate(resource: Resource, hub: Kind, object: ApiObject, context: RuleContext): void {
  const { metadataChecks, qualifiedFinalizers = true } = resource.data;
  const { nameFindings, own } = nameApart(
    resource,
    joined(
      objectErrors(hub, withSentEmpty(resource, hub, object, context), undefined, context),
      hub.rules.validateCreate?.(object, context) ?? NONE,
    ),
  );
  const metadata = validateObjectMeta(object.metadata, { ...metadataOptions(resource), qualifiedFinalizers, nameFindings }, 'metadata');
  // As in 1.32, findings of a kind that does not check metadata itself are reported alone, without those of the metadata.
  if (metadataChecks.length === 0) refuse(hub, object, own);
  refuse(hub, object, joined(metadata, own));
}

/**
 * Parts findings at `metadata.name` from the others where the schema says that they count as findings of the name's format.
 * @param errors of the whole object
 */
function nameApart(resource: Resource, errors: readonly FieldError[]): { nameFindings: readonly FieldError[]; own: readonly FieldError[] } {
  if (resource.data.constrainedName !== true) return { nameFindings: [], own: errors };
  const isOfName = ({ field }: FieldError) => field === 'metadata.name';
  return { nameFindings: errors.filter(isOfName), own: errors.filter((error) => !isOfName(error)) };
}

const metadataOptions = ({ data: { scope, nameFormat } }: Resource) => ({ namespaced: scope === 'Namespaced', nameFormat });

/**
 * Sets back what no client may change through the main resource, counts the generation, and lets the kind prepare the object.
 * @param object changed
 * @returns a promise where the kind waits for something
 */
export function prepareForUpdate(
  resource: Resource,
  hub: Kind,
  object: ApiObject,
  old: ApiObject,
  context: RuleContext,
): Promise<void> | undefined {
  keepSystemMetadata(object.metadata, old.metadata);
  if (isReset(resource, resource.data.statusOnUpdate)) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  }
  dropUnkept(hub, object, old, context);
  const preparing = hub.rules.prepareForUpdate?.(object, old, context);
  if (preparing instanceof Promise) return preparing.then(() => compareWithOld(resource, hub, object, old, context));
  return compareWithOld(resource, hub, object, old, context);
}

/** Takes unchanged members from the stored object, and counts the generation where a member that counts has changed. Changes `object`. */
function compareWithOld(resource: Resource, hub: Kind, object: ApiObject, old: ApiObject, context: RuleContext): undefined {
  shareUnchanged(object, old);
  const { generation, generationSeesEmpty } = resource.data;
  const isChanged = generation.some((path) =>
    path === '*' ? hasOtherChange(resource, object, old) : !deepEqual(member(object, path), member(old, path)),
  );
  if (isChanged || (generationSeesEmpty === true && sendsEmpty(generation, hub, object, context)))
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Whether the writer has sent an empty list or map in one of the members, which no stored object has: they are lost when it is decoded. */
function sendsEmpty(names: readonly string[], hub: Kind, object: ApiObject, { sent }: RuleContext): boolean {
  const value = sent?.() as ApiObject | undefined;
  const counts = hub.compiled.members.filter(({ name }) => names.includes(name));
  return value !== undefined && counts.some(({ type, name }) => losesEmpty(type, member(value, name), member(object, name)));
}

/** The object as rules about it see it: with empty lists and maps that were left out when it was decoded, where those count. */
function withSentEmpty({ data: { rulesSeeEmpty } }: Resource, { compiled }: Kind, object: ApiObject, { sent }: RuleContext): ApiObject {
  const value = rulesSeeEmpty === true ? sent?.() : undefined;
  return value === undefined ? object : withEmptied(object, compiled, emptiedMembers(compiled, value), true);
}

/** The object as rules about changes see it: what was lost when it was decoded is there, in members where that counts. */
function asSent({ data: { changesSeeEmpty = [] } }: Resource, hub: Kind, object: ApiObject, context: RuleContext): ApiObject {
  const names = changesSeeEmpty.filter((name) => sendsEmpty([name], hub, object, context));
  if (names.length === 0) return object;
  const sent = context.sent?.() as ApiObject;
  return { ...object, ...Object.fromEntries(names.map((name) => [name, sent[name]])) };
}

/** The stored metadata, with the resourceVersion and the managedFields of the write, if it has any. */
function keptMetadata({ resourceVersion, managedFields }: ObjectMeta, { managedFields: _before, ...old }: ObjectMeta): ObjectMeta {
  return { ...old, ...(resourceVersion !== undefined && { resourceVersion }), ...(managedFields !== undefined && { managedFields }) };
}

/**
 * Sets back everything but the status. Changes `object`.
 * @param keepsMetadata whether labels, annotations and all other metadata are set back too
 */
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
 * Puts the stored object's own members in place of equal ones, so that a later comparison sees by identity that they are unchanged. managedFields are left
 * out: their sets stay texts until somebody asks for them.
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

/** @returns the old object with the part that the client sent, without what no object of the kind keeps; new */
export function preparePart(hub: Kind, rules: PartRules, sent: ApiObject, old: ApiObject, context: RuleContext): ApiObject {
  const object = copyValue(old);
  rules.take(object, sent, context);
  dropUnkept(hub, object, old, context);
  keepSystemMetadata(object.metadata, old.metadata);
  if (sent.metadata.managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = sent.metadata.managedFields;
  shareUnchanged(object, old);
  return object;
}

const STATUS_MEMBERS = new Set(['metadata', 'status']);

/** Sets back the metadata that no update changes. Changes `metadata`. */
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

/** The metadata that kinds check once more, each by rules of its own, when they are right by the rules of all kinds. */
const namesIn = ({ name, generateName, namespace, finalizers }: ObjectMeta): ObjectMeta => ({ name, generateName, namespace, finalizers });

/** Findings of finalizers without a domain, where the update adds one: the server itself may have set those that are stored. */
function unqualifiedErrors({ metadata: { finalizers } }: ApiObject, old: ApiObject): readonly FieldError[] {
  const known = new Set(old.metadata.finalizers);
  const isKnown = finalizers === undefined || finalizers.every((each) => known.has(each));
  return isKnown ? [] : unqualifiedFinalizerErrors(finalizers, 'metadata.finalizers');
}

/** What the checks of all kinds say of the metadata of an update, which most kinds check once more. */
interface CheckedMetadata {
  /** the metadata that are still to be checked */
  readonly checked: ObjectMeta;
  /** findings of the change of metadata */
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
  const found = objectErrors(hub, withSentEmpty(resource, hub, object, context), old, context);
  const { nameFindings, own } = metadataChecks.includes('object') ? nameApart(resource, found) : { nameFindings: [], own: found };
  const check = { object: () => validateObjectMeta(checked, { ...metadataOptions(resource), qualifiedFinalizers, nameFindings }), update };
  const [first = [], ...rest] = metadataChecks.map((name) => check[name]());
  const updating: UpdateContext = { ...context, changeText: changeTextOf(hub, object, context) };
  const changes =
    target === 'object'
      ? changeErrors(hub, asSent(resource, hub, object, context), old, updating)
      : (rules.validateUpdate?.(object, old, updating) ?? []);
  const whole = [...rest.flat(), ...own];
  return target === 'object' && hub.rules.changesFirst === true ? [...first, ...changes, ...whole] : [...first, ...whole, ...changes];
}

/**
 * @throws StatusError Invalid, for an update without a resourceVersion of a kind that needs one. As in 1.32 it has the resource's name in place of the kind's.
 */
export function requireResourceVersion(resource: Resource, objectName: string): never {
  const { group, resource: name } = resource.groupResource;
  throw newInvalid({ group, kind: name }, objectName, [
    { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message: 'Invalid value: 0x0: must be specified for an update' },
  ]);
}

function refuse(hub: Kind, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid(hub, object.metadata.name ?? '', withGoStructures(hub.data.type, errors));
}

/** Whether anything has changed but the metadata, and but the status where it is a subresource. */
function hasOtherChange(resource: Resource, object: ApiObject, old: ApiObject): boolean {
  const isApart = (name: string) => name === 'metadata' || (name === 'status' && resource.subresources.has('status'));
  return [...new Set([...Object.keys(object), ...Object.keys(old)])].some((name) => !isApart(name) && !deepEqual(object[name], old[name]));
}

function member(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
}
