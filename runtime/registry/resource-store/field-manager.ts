/**
 * Ownership of fields for writes through one path of a resource: applies the rules of `runtime/apply/` to kinds and versions of the registry. Objects are of
 * the hub, as the store has them. Owners name fields of the path's version.
 */

import { createdFields } from '../../apply/created-fields.ts';
import type { FieldSet } from '../../apply/field-set.ts';
import { intentErrors, storedErrors, typeErrorText } from '../../apply/intent.ts';
import { beyondLastApplied, keepLastApplied } from '../../apply/last-applied.ts';
import { ElementError } from '../../apply/list-elements.ts';
import { entryWithText } from '../../apply/managed-entries.ts';
import { isReset, type Managers, managedFieldsOf, readSentManagers, readStoredManagers } from '../../apply/managers.ts';
import { type Applied, ApplyConflicts, applyIntent, updateManagers, type Writer } from '../../apply/ownership.ts';
import type { Versions } from '../../apply/versions.ts';
import type { Converter } from '../../contract/converter.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Waiting } from '../../contract/request-context.ts';
import { DecodeError } from '../../schema/codec/codec.ts';
import { copyValue } from '../../schema/copy.ts';
import { type MemberPath, withEmptied } from '../../schema/emptied-members.ts';
import { deepEqual } from '../../schema/equal.ts';
import { isObject } from '../../schema/json/member.ts';
import { restore } from '../../schema/restore.ts';
import { convert, type KindVersion } from './kind-version.ts';
import { timestamp } from './strategy.ts';
import { requireFit, shownObject, shownType, UnfitConversion, unfit, unfitToOwn } from './unfit-objects.ts';
import { withConversions } from './waiting-conversions.ts';

/** @returns the top-level members besides the metadata that a set has anything of */
const membersIn = (set: FieldSet): string[] =>
  Object.keys(set)
    .map((element) => element.slice('f:'.length))
    .filter((name) => name !== 'metadata');

export interface AppliedObject {
  readonly object: ApiObject;
  /** the intent merged into the live object; not changed afterwards */
  readonly sent: unknown;
  /** where it has empty lists that are null in the object */
  readonly emptied?: readonly MemberPath[] | undefined;
}

/** Thrown for an intent that is no valid object, with the text of 1.32. */
export class BadIntent extends Error {}

const BEFORE_FIRST_APPLY = 'before-first-apply';
/** The manager whose applies keep the annotation of client-side apply up to date, and may take over the fields that the annotation names. */
const KUBECTL = 'kubectl';

export interface FieldManagerParts {
  /** the kind in the version of the path */
  readonly own: KindVersion;
  /** '' for the object itself */
  readonly subresource: string;
  /** name of the annotation of client-side apply */
  readonly lastAppliedAnnotation: string;
  /** as the dialect has it (`runtime/contract/identity.ts`) */
  readonly resetsLeaveChanges: boolean;
  /** Loads another version of the kind; undefined for a version that is not served. */
  readonly load: (apiVersion: string) => Promise<KindVersion | undefined>;
  /** converts between the versions; absent where their kinds state conversions to the hub */
  readonly converter?: Converter | undefined;
}

const AS_APPLIED = { asApplied: true };
/** Of objects of definitions 1.32 reads metadata member by member, and takes one that cannot be read for none. */
const AS_APPLIED_BY_NAME = { ...AS_APPLIED, dropsInvalidMetadata: 'ofItself' } as const;

export class FieldManager {
  readonly #own: KindVersion;
  readonly #resetMembers: readonly string[];
  readonly #subresource: string;
  readonly #annotation: string;
  readonly #resetsLeaveChanges: boolean;
  readonly #load: FieldManagerParts['load'];
  readonly #converter: Converter | undefined;
  readonly #found = new Map<string, KindVersion | undefined>();
  readonly #versions: Versions;
  #zero: ApiObject | undefined;

  constructor({ own, subresource, lastAppliedAnnotation, resetsLeaveChanges, load, converter }: FieldManagerParts) {
    this.#own = own;
    this.#resetMembers = membersIn(own.resets);
    this.#subresource = subresource;
    this.#annotation = lastAppliedAnnotation;
    this.#resetsLeaveChanges = resetsLeaveChanges;
    this.#load = load;
    this.#converter = converter;
    this.#found.set(own.apiVersion, own);
    this.#versions = {
      find: (apiVersion) => this.#found.get(apiVersion),
      convert: (objects, from, to) => objects.map((object) => convert(object as ApiObject, from as KindVersion, to as KindVersion)),
    };
  }

  /**
   * Sets the managedFields of an object that is about to be stored; changes `object` alone.
   * @param old the stored object; undefined for a new one
   * @param now milliseconds since 1970
   * @param emptied where the client has sent empty lists and maps that the path's version writes as null or leaves out
   * @param waiting the request that waits for it
   * @returns a promise where it waits for something
   */
  update(
    old: ApiObject | undefined,
    object: ApiObject,
    manager: string,
    now: number,
    emptied: readonly MemberPath[] = NOWHERE,
    waiting?: Waiting,
  ): Promise<void> | undefined {
    const stored = old?.metadata.managedFields;
    const sent = this.#sentEntries(object);
    delete object.metadata.managedFields;
    const managers = managersBefore(stored, sent);
    const resets = this.#resetsLeaveChanges && old !== undefined && isReset(sent);
    // an object whose owners nobody has followed so far is followed from its first apply on
    if (managers.size === 0 && old !== undefined && !resets) return undefined;
    const sentObject = this.#sent(object, emptied);
    if (this.#isUnfit(sentObject, old)) return undefined;
    if (old === undefined && managers.size === 0) {
      const entries = this.#created(sentObject, manager, now);
      if (entries !== undefined) {
        setManagedFields(object, entries.length === 0 ? undefined : entries);
        return undefined;
      }
    }
    const compare = (): Promise<void> | undefined => {
      const live = old === undefined ? this.#zeroObject() : this.#versioned(old);
      const set = (left: Managers | undefined): undefined => {
        const entries = left === undefined ? undefined : managedFieldsOf(left);
        setManagedFields(object, resets && sent?.length === 0 ? ownersBesideNone(stored, entries) : entries);
      };
      const updated = this.#compared((versions) => this.#updated(versions, live, sentObject, managers, manager, now), waiting);
      return updated instanceof Promise ? updated.then(set) : set(updated);
    };
    const loading = this.#loadVersions(managers);
    return loading === undefined ? compare() : loading.then(compare);
  }

  /** What the client says of owners; undefined: nothing. Of what definitions have brought, 1.32 takes no empty list of metadata for one. */
  #sentEntries({ metadata: { managedFields } }: ApiObject): readonly unknown[] | undefined {
    const isTold = this.#subresource === '' && (this.#own.kind.compiled.isGo || managedFields?.length !== 0);
    return isTold ? managedFields : undefined;
  }

  /** Whether a client has sent a member of a wrong type that this write resets, so that no validation sees it. As in 1.32, nobody then owns anything of the object. */
  #isUnfit(sent: ApiObject, old: ApiObject | undefined): boolean {
    const { kind } = this.#own;
    if (kind.compiled.isGo) return false;
    const unseen = this.#resetMembers.filter((name) => sent[name] !== undefined && !deepEqual(sent[name], old?.[name]));
    return unseen.length > 0 && storedErrors(kind.compiled, Object.fromEntries(unseen.map((name) => [name, sent[name]]))).length > 0;
  }

  /** What the client has sent, in the version of the path. */
  #sent(object: ApiObject, emptied: readonly MemberPath[]): ApiObject {
    const versioned = this.#versioned(object);
    return emptied.length === 0 ? versioned : withEmptied(versioned, this.#own.kind.compiled, emptied, true);
  }

  /** The owner of a new object, which nobody else owns anything of; undefined where it takes the general comparison to tell. */
  #created(sent: ApiObject, manager: string, now: number): object[] | undefined {
    const { name, version } = this.#writer(manager);
    const fields = unlessIncomparable(() => createdFields(version, this.#zeroObject(), sent));
    if (fields === undefined || this.#subresource !== '') return undefined;
    if (fields === '{}') return [];
    const { apiVersion } = version;
    return [entryWithText({ manager: name, operation: 'Update', apiVersion, time: timestamp(now), fieldsType: 'FieldsV1' }, fields)];
  }

  /** undefined for objects that cannot be compared: their types do not allow them, or they are deeper than the stack */
  #updated(versions: Versions, live: ApiObject, object: ApiObject, managers: Managers, manager: string, now: number): Managers | undefined {
    return unlessIncomparable(() => updateManagers(versions, bare(live), bare(object), managers, this.#writer(manager), timestamp(now)));
  }

  /**
   * @param old the stored object; undefined when the apply creates it
   * @param intent a parsed JSON object
   * @param waiting the request that waits for it
   * @returns of the path's version: the applied object with defaults and managedFields, and what it was decoded from
   * @throws BadIntent, ApplyConflicts; DecodeError for values that the type does not take
   */
  async apply(
    old: ApiObject | undefined,
    intent: ApiObject,
    manager: string,
    force: boolean,
    now: number,
    waiting?: Waiting,
  ): Promise<AppliedObject> {
    this.#check(intent);
    const managers = readStoredManagers(old?.metadata.managedFields);
    const loading = this.#loadVersions(managers);
    if (loading !== undefined) await loading;
    const live = old === undefined ? this.#zeroObject() : bare(this.#versioned(old));
    const isFirst = managers.size === 0 && old !== undefined;
    if (old !== undefined && !this.#own.kind.compiled.isGo) this.#requireFit(live, isFirst);
    const applying = this.#compared((versions) => {
      const before = isFirst ? this.#beforeFirstApply(versions, live, now) : managers;
      return this.#applied(versions, live, intent, before, manager, force, now);
    }, waiting);
    const applied = applying instanceof Promise ? await applying : applying;
    const { object, sent, emptied } = this.#decoded(applied.object);
    if (manager === KUBECTL) keepLastApplied(object.metadata, this.#annotation, intent);
    setManagedFields(object, managedFieldsOf(applied.managers));
    return { object, sent, emptied };
  }

  /** Numbers that no JSON of the type may have are converted, as in 1.32. @throws DecodeError */
  #decoded(applied: object): AppliedObject {
    const { kind } = this.#own;
    try {
      const { object, emptied } = kind.decode(applied, kind.compiled.isGo ? AS_APPLIED : AS_APPLIED_BY_NAME);
      return { object, sent: applied, emptied };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const sent = restore(kind.compiled, applied);
      return { object: kind.decode(sent, AS_APPLIED).object, sent };
    }
  }

  /** @throws BadIntent */
  #check(intent: ApiObject): void {
    const { kind, apiVersion, compiled } = this.#own.kind;
    if (intent.kind !== kind || intent.apiVersion !== apiVersion) throw new BadIntent(`invalid object type: ${shownType(intent)}`);
    const { managedFields } = (intent.metadata ?? {}) as Readonly<Record<string, unknown>>;
    if (Array.isArray(managedFields) && managedFields.every(isObject)) throw new BadIntent('metadata.managedFields must be nil');
    const errors = intentErrors(compiled, intent);
    if (errors.length > 0) throw new BadIntent(`failed to create typed patch object (${shownObject(intent)}): ${typeErrorText(errors)}`);
  }

  /** The owner of all that an object has whose owners nobody has followed. @throws BadIntent for one that its type does not allow */
  #beforeFirstApply(versions: Versions, live: ApiObject, now: number): Managers {
    try {
      return updateManagers(versions, bare(this.#zeroObject()), live, NOBODY, this.#writer(BEFORE_FIRST_APPLY), timestamp(now));
    } catch (error) {
      if (error instanceof RangeError) return NOBODY;
      if (!(error instanceof ElementError)) throw error;
      throw new BadIntent(unfitToOwn(live, this.#unfitness(live, error)));
    }
  }

  #applied(
    versions: Versions,
    live: ApiObject,
    intent: ApiObject,
    managers: Managers,
    manager: string,
    force: boolean,
    now: number,
  ): Applied<ApiObject> {
    const applyWith = (forced: boolean) =>
      applyIntent(versions, live, intent, managers, this.#writer(manager), { force: forced, now: timestamp(now) });
    try {
      return applyWith(force);
    } catch (error) {
      if (error instanceof UnfitConversion) throw new BadIntent(error.message);
      if (error instanceof ElementError) throw new BadIntent(unfit(live, this.#unfitness(live, error)));
      if (!(error instanceof ApplyConflicts) || manager !== KUBECTL) throw error;
      const annotation = live.metadata.annotations?.[this.#annotation];
      const left = beyondLastApplied(this.#own, live, annotation, error);
      if (left.conflicts.length > 0) throw left;
      return applyWith(true);
    }
  }

  /** A stored object is of an earlier schema perhaps, or of a version that the path's does not allow. @throws BadIntent */
  #requireFit(live: ApiObject, isFirst: boolean): void {
    const errors = storedErrors(this.#own.kind.compiled, live);
    if (errors.length === 0) return;
    const problem = typeErrorText(errors);
    throw new BadIntent(isFirst ? unfitToOwn(live, problem) : unfit(live, problem));
  }

  /** What is wrong with a stored object: updates may have stored what no apply can tell apart. @param found the first problem met */
  #unfitness(live: ApiObject, found: ElementError): string {
    const errors = storedErrors(this.#own.kind.compiled, live);
    return errors.length > 0 ? typeErrorText(errors) : found.message;
  }

  /** What compares objects in the versions of their owners. A promise where a converter stands between these. */
  #compared<T>(compare: (versions: Versions) => T, waiting: Waiting | undefined): T | Promise<T> {
    if (this.#converter === undefined) return compare(this.#versions);
    return withConversions(this.#converter, this.#own, this.#versions.find, requireFit, compare, waiting);
  }

  #writer(name: string): Writer {
    return { name: name === '' ? 'unknown' : name, subresource: this.#subresource, version: this.#own };
  }

  /** A promise where versions must be waited for that nobody has asked for yet. */
  #loadVersions(managers: Managers): Promise<unknown> | undefined {
    const wanted = new Set<string>();
    for (const { apiVersion } of managers.values()) if (!this.#found.has(apiVersion)) wanted.add(apiVersion);
    return wanted.size === 0 ? undefined : Promise.all([...wanted].map((apiVersion) => this.#remember(apiVersion)));
  }

  async #remember(apiVersion: string): Promise<void> {
    const version = await this.#load(apiVersion);
    if (version !== undefined) this.#found.set(apiVersion, version);
  }

  /** The object in the version of the path; the same one where that is the hub. */
  #versioned(object: ApiObject): ApiObject {
    const { kind } = this.#own;
    return kind.hub === kind ? object : kind.fromHub(copyValue(object));
  }

  /** What a new object is compared with: what its type writes of nothing. */
  #zeroObject(): ApiObject {
    this.#zero ??= this.#own.kind.normalized({});
    return this.#zero;
  }
}

/**
 * Returns the result of `compare`; undefined if objects cannot be compared, because their types do not allow them or because they are too deep for the stack.
 */
function unlessIncomparable<T>(compare: () => T): T | undefined {
  try {
    return compare();
  } catch (error) {
    if (error instanceof ElementError || error instanceof RangeError) return undefined;
    throw error;
  }
}

const NOBODY: Managers = new Map();
const NOWHERE: readonly MemberPath[] = [];

/** The owners before a change: those that the client sends, where it sends any that are understood. */
function managersBefore(stored: readonly unknown[] | undefined, sent: readonly unknown[] | undefined): Managers {
  if (sent === undefined || sent === stored) return readStoredManagers(stored);
  if (isReset(sent)) return NOBODY;
  const managers = deepEqual(sent, stored) ? undefined : readSentManagers(sent);
  return managers === undefined || managers.size === 0 ? readStoredManagers(stored) : managers;
}

/**
 * The owners after a write whose list of owners is empty, as clients send it that do not know what it is for. Where the write changes nothing else, all owners stay
 * (specification: Server-side apply rule 9); where it does, nobody is left, as in 1.32.
 * @param stored the owners before
 * @param changed what the write changes
 */
function ownersBesideNone(stored: unknown[] | undefined, changed: readonly unknown[] | undefined): unknown[] | undefined {
  return changed === undefined ? stored : undefined;
}

/** Managed fields have no owners. */
function bare(object: ApiObject): ApiObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _own, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** @param entries undefined where nobody owns anything */
export function setManagedFields(object: ApiObject, entries: unknown[] | undefined): void {
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}
