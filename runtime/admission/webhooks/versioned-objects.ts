/** The objects of a request in the version that a webhook has asked for, and back from it. */

import { textOfEntry } from '../../apply/managed-entries.ts';
import { writeJson } from '../../contract/json-writer.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Kind } from '../../registry/kinds/kind.ts';
import { copyValue } from '../../schema/copy.ts';
import { withEmptied } from '../../schema/emptied-members.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import type { GroupVersionKind } from './rules.ts';

export interface Versioned {
  readonly kind: Kind;
  /** nobody may change them */
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  /** the object with the empty lists that were sent, as others see it */
  readonly shown: ApiObject | undefined;
  /** JSON of each; `null` for what is not there */
  readonly objectText: string;
  readonly oldText: string;
}

export class VersionedObjects {
  readonly #attributes: AdmissionAttributes;
  readonly #made = new Map<string, Promise<Versioned>>();

  constructor(attributes: AdmissionAttributes) {
    this.#attributes = attributes;
  }

  /** @throws what conversion throws */
  of(wanted: GroupVersionKind): Promise<Versioned> {
    const key = `${wanted.group}/${wanted.version}/${wanted.kind}`;
    let made = this.#made.get(key);
    if (made === undefined) {
      made = this.#make(wanted);
      this.#made.set(key, made);
    }
    return made;
  }

  /** The object has changed. */
  forget(): void {
    this.#made.clear();
  }

  async #make(wanted: GroupVersionKind): Promise<Versioned> {
    const { object, old } = this.#attributes;
    const kind = await this.#kindOf(wanted);
    const [spokenObject, spokenOld] = [await this.#spoken(object, kind), await this.#spoken(old, kind)];
    return new WithTexts(kind, spokenObject, spokenOld, this.#shown(spokenObject, kind));
  }

  /** Empty lists are known of the version of the request alone. */
  #shown(object: ApiObject | undefined, kind: Kind): ApiObject | undefined {
    const { kind: own, sentEmpty } = this.#attributes;
    if (object === undefined || kind !== own || sentEmpty === undefined) return object;
    return withEmptied(object, kind.compiled, sentEmpty.paths);
  }

  #kindOf({ group, version, kind }: GroupVersionKind): Kind | Promise<Kind> {
    const { kind: own, resource } = this.#attributes;
    return own.group === group && own.version === version && own.kind === kind ? own : resource.versions.kinds.kind(group, version, kind);
  }

  async #spoken(object: ApiObject | undefined, kind: Kind): Promise<ApiObject | undefined> {
    if (object === undefined) return undefined;
    const { kind: own, resource, request } = this.#attributes;
    if (kind === own && kind.hub === kind) return object;
    const { converter } = resource.versions;
    if (kind === own || converter === undefined) return kind.fromHub(copyValue(object));
    const [converted] = await converter.convert([copyValue(object)], kind.apiVersion, request);
    return kind.made(converted as ApiObject, false);
  }

  /** @param spoken of `kind`; may be changed. @returns as admission has objects. @throws what conversion throws */
  async toHub(spoken: ApiObject, kind: Kind): Promise<ApiObject> {
    const { kind: own, resource, request } = this.#attributes;
    const { converter } = resource.versions;
    if (kind === own || converter === undefined) return kind.toHub(spoken);
    const [converted] = await converter.convert([spoken], own.apiVersion, request);
    return own.toHub(own.made(converted as ApiObject, false));
  }
}

/** Most who look at the objects need no text of them. */
class WithTexts implements Versioned {
  readonly kind: Kind;
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly shown: ApiObject | undefined;
  #objectText: string | undefined;
  #oldText: string | undefined;

  constructor(kind: Kind, object: ApiObject | undefined, old: ApiObject | undefined, shown: ApiObject | undefined) {
    this.kind = kind;
    this.object = object;
    this.old = old;
    this.shown = shown;
  }

  get objectText(): string {
    this.#objectText ??= textOf(this.shown);
    return this.#objectText;
  }

  get oldText(): string {
    this.#oldText ??= textOf(this.old);
    return this.#oldText;
  }
}

const textOf = (object: ApiObject | undefined): string => (object === undefined ? 'null' : objectText(object));

/** JSON of an object. Who owns which fields is there as text already, nearly always: it makes up half of many an object. */
function objectText(object: ApiObject): string {
  const { managedFields } = object.metadata ?? {};
  if (!Array.isArray(managedFields)) return writeJson(object);
  let text = '';
  for (const name in object) {
    const member = name === 'metadata' ? metadataText(object.metadata, managedFields) : writeJson(object[name]);
    if (member !== undefined) text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:${member}`;
  }
  return `${text}}`;
}

function metadataText(metadata: ApiObject['metadata'], managedFields: readonly unknown[]): string {
  const others = writeJson({ ...metadata, managedFields: undefined }).slice(0, -1);
  const entries = (managedFields as readonly object[]).map((entry) => textOfEntry(entry) ?? writeJson(entry));
  return `${others}${others === '{' ? '' : ','}"managedFields":[${entries.join(',')}]}`;
}
