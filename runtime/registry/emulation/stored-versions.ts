/** In which versions a store holds objects, where that may be others than those of today. */
import { Conflict, KeyExists, KeyNotFound } from '../../storage/errors.ts';
import type { Storage } from '../../storage/storage.ts';
import type { BuiltInApi } from '../built-in-api.ts';
import type { Kind } from '../kind.ts';
import { gvKey } from '../kind-loader.ts';
import type { KindSource } from '../kind-source.ts';
import { ConvertingStorage } from './converting-storage.ts';
import { StoredForm } from './stored-form.ts';
import { NOTE, type StoredVersionsParts } from './stored-versions-note.ts';

/** By the prefix of keys: versions other than today's of which there may be objects, as `StoredKind` texts. */
type Note = Readonly<Record<string, readonly string[]>>;

interface StoredKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Writes the note where one is needed, before anything that it tells of can be stored. @returns the store as those see it who know the forms of today */
export async function convertingStorage(storage: Storage, parts: StoredVersionsParts): Promise<Storage> {
  const { note } = readNote(storage);
  const resources = storedResources(parts);
  const added = resources.filter(({ prefix, hub, written }) => !isSame(hub, written) && !(note[prefix] ?? []).includes(textOf(written)));
  if (added.length > 0) await addToNote(storage, added);
  const { builtIn, emulated, loadPast } = parts;
  const past = emulated === undefined ? builtIn.kindsOf((await loadPast()).hubs) : builtIn.storedKinds;
  const forms = resources.map(async (each): Promise<[string, StoredForm][]> => {
    const form = await formOf(each, note[each.prefix] ?? [], builtIn, past);
    return form === undefined ? [] : [[each.prefix, form]];
  });
  const found = new Map((await Promise.all(forms)).flat());
  return found.size === 0 ? storage : new ConvertingStorage(storage, found);
}

interface StoredResource {
  readonly prefix: string;
  readonly hub: StoredKind;
  readonly written: StoredKind;
  /** paths of the selectable fields, in the hub */
  readonly fields: readonly string[];
}

/** Every resource that is stored, whatever number of versions it has. */
function storedResources({ builtIn, groupVersions, emulated }: StoredVersionsParts): StoredResource[] {
  const { identity } = builtIn.kindParts;
  const found = new Map<string, StoredResource>();
  for (const { group, version, resources } of emulated?.groupVersions ?? groupVersions)
    for (const { storage, selectableFields } of resources) {
      if (storage === undefined) continue;
      const prefix = identity.text(storage.prefix);
      const hub = identity.resolve({ group: storage.group, version: storage.version, kind: storage.kind });
      // the fields of the version that is stored count, where there is one of its own
      const isHub = group === storage.group && version === storage.version;
      if (found.has(prefix) && !isHub) continue;
      const before = emulated?.storedAs(storage.prefix);
      const written = before === undefined ? hub : identity.resolve({ group: before.group, version: before.version, kind: before.kind });
      found.set(prefix, { prefix, hub, written, fields: selectableFields });
    }
  return [...found.values()];
}

/**
 * @param noted versions that were stored once
 * @param past kinds of all versions that may have been stored
 * @returns undefined where everything is stored as rules see it
 */
async function formOf(
  { hub, written, fields }: StoredResource,
  noted: readonly string[],
  { kinds, storedKinds }: BuiltInApi,
  past: KindSource,
): Promise<StoredForm | undefined> {
  if (kinds === storedKinds && noted.length === 0) return undefined;
  const load = (from: KindSource, { group, version, kind }: StoredKind): Promise<Kind> => from.kind(group, version, kind);
  const hubKind = await load(storedKinds, hub);
  // where no other version is stored, that of today may not have been there yet
  const isThere = await kinds.has(written.group, written.version, written.kind);
  const writtenKind = isThere ? await load(kinds, written) : hubKind;
  const others = [...noted.map(kindOf), written].filter((each) => !isSame(each, hub));
  if (writtenKind === hubKind && others.length === 0) return undefined;
  const loaded = others.map(async (each) => [gvKey(each.group, each.version), await load(past, each)] as const);
  return new StoredForm({ hub: hubKind, written: writtenKind, others: new Map(await Promise.all(loaded)), fields });
}

const isSame = (a: StoredKind, b: StoredKind): boolean => a.group === b.group && a.version === b.version && a.kind === b.kind;
const textOf = ({ group, version, kind }: StoredKind): string => `${group}/${version}/${kind}`;

function kindOf(text: string): StoredKind {
  const [group = '', version = '', kind = ''] = text.split('/');
  return { group, version, kind };
}

function readNote(storage: Storage): { readonly note: Note; readonly revision: number | undefined } {
  const entry = storage.get(NOTE);
  return { note: entry === undefined ? {} : (JSON.parse(entry.value.toString('utf8')) as Note), revision: entry?.revision };
}

/** Other processes that start at the same time note the same. */
async function addToNote(storage: Storage, added: readonly StoredResource[]): Promise<void> {
  for (;;) {
    const { note, revision } = readNote(storage);
    const changed: Record<string, readonly string[]> = { ...note };
    for (const { prefix, written } of added) changed[prefix] = [...new Set([...(note[prefix] ?? []), textOf(written)])];
    const value = { bytes: Buffer.from(JSON.stringify(changed)), revisionOffset: -1 };
    try {
      await (revision === undefined ? storage.create(NOTE, value) : storage.update(NOTE, revision, value));
      return;
    } catch (error) {
      if (!(error instanceof KeyExists || error instanceof Conflict || error instanceof KeyNotFound)) throw error;
    }
  }
}
