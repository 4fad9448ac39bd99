/** Determines in which versions a store holds objects, if they may differ from those of today. */
import type { Identity } from '../../contract/identity.ts';
import type { GroupVersionData } from '../../contract/kind.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import { gvKey } from '../kinds/kind-loader.ts';
import type { KindSource } from '../kinds/kind-source.ts';
import { ConvertingStorage } from '../resource-store/converting-storage.ts';
import { StoredForm } from '../resource-store/stored-form.ts';
import type { BuiltInApi } from '../resources/built-in-api.ts';
import type { EmulatedRelease } from './emulated-release.ts';
import { isSame, notedVersions, type StoredKind } from './noted-versions.ts';

export interface StoredVersionsParts {
  readonly builtIn: BuiltInApi;
  /** group versions of the current release, with placeholders */
  readonly groupVersions: readonly GroupVersionData[];
  /** absent: the server has the API of today */
  readonly emulated?: EmulatedRelease | undefined;
  /** loads the API of today with the kinds that were removed */
  readonly loadPast: () => Promise<Pick<EmulatedRelease, 'hubs'>>;
}

/**
 * Writes the note, if one is needed, before any object that it describes can be stored.
 * @returns a storage that converts objects to today's forms
 */
export async function convertingStorage(storage: Storage, parts: StoredVersionsParts): Promise<Storage> {
  const resources = storedResources(parts);
  const written = resources.filter(({ hub, written }) => !isSame(hub, written)).map((each) => [each.prefix, each.written] as const);
  const note = await notedVersions(storage, written);
  const { builtIn, emulated, loadPast } = parts;
  const past = emulated === undefined ? builtIn.kindsOf((await loadPast()).hubs) : builtIn.storedKinds;
  const forms = resources.map(async (each): Promise<[string, StoredForm][]> => {
    const form = await formOf(each, note.get(each.prefix) ?? [], builtIn, past);
    return form === undefined ? [] : [[each.prefix, form]];
  });
  const found = new Map((await Promise.all(forms)).flat());
  return found.size === 0 ? storage : new ConvertingStorage(storage, found);
}

export interface StoredResource {
  /** prefix of its keys, without a slash at the end */
  readonly prefix: string;
  readonly hub: StoredKind;
  readonly written: StoredKind;
  /** what stands in etcd */
  readonly inEtcd: StoredKind;
  /** whether that is JSON, whatever `--storage-media-type` says */
  readonly isJsonInEtcd: boolean;
  /** paths of selectable fields in the hub version */
  readonly fields: readonly string[];
}

/**
 * All stored resources, however many versions they have and whether or not they are served.
 * @param isMeant selects group versions; default: all
 */
export function storedResources(
  { builtIn, groupVersions, emulated }: Omit<StoredVersionsParts, 'loadPast'>,
  isMeant: (groupVersion: GroupVersionData) => boolean = () => true,
): StoredResource[] {
  const { identity } = builtIn.kindParts;
  const spoken = (emulated?.groupVersions ?? groupVersions).filter(isMeant).flatMap(({ resources }) => resources);
  const hubs = (emulated?.hubs ?? groupVersions).flatMap(({ group, version, resources }) =>
    resources.filter(({ storage }) => storage?.group === group && storage.version === version),
  );
  const found = new Map<string, StoredResource>();
  for (const { storage, selectableFields } of spoken) {
    if (storage === undefined || found.has(storage.prefix)) continue;
    const { prefix } = storage;
    const hub = storedKind(storage, identity);
    const written = storage.writtenAs === undefined ? hub : storedKind(storage.writtenAs, identity);
    const { jsonInEtcd } = storage;
    const inEtcd = storage.writtenAs !== undefined || jsonInEtcd === undefined ? written : { ...hub, version: jsonInEtcd };
    const fields = hubs.find((each) => each.storage?.prefix === prefix)?.selectableFields ?? selectableFields;
    const forms = { hub, written, inEtcd, isJsonInEtcd: jsonInEtcd !== undefined };
    found.set(prefix, { prefix: identity.text(prefix), ...forms, fields: identity.resolve(fields) });
  }
  return [...found.values()];
}

const storedKind = ({ group, version, kind }: StoredKind, identity: Identity): StoredKind => identity.resolve({ group, version, kind });

/**
 * @param noted versions that were noted in the store
 * @param past kinds of all versions that may be stored
 * @returns undefined if all objects are stored in the hub version
 */
async function formOf(
  { hub, written, fields }: StoredResource,
  noted: readonly StoredKind[],
  { kinds, storedKinds }: BuiltInApi,
  past: KindSource,
): Promise<StoredForm | undefined> {
  if (kinds === storedKinds && noted.length === 0) return undefined;
  const { hubKind, writtenKind } = await storedKindsOf({ hub, written }, { kinds, storedKinds });
  const others = [...noted, written].filter((each) => !isSame(each, hub));
  if (writtenKind === hubKind && others.length === 0) return undefined;
  const loaded = others.map(async (each) => [gvKey(each.group, each.version), await loadKind(past, each)] as const);
  return new StoredForm({ hub: hubKind, written: writtenKind, others: new Map(await Promise.all(loaded)), fields });
}

/** Loads the kind that rules use for a resource, and the kind in which it is stored. */
export async function storedKindsOf(
  { hub, written }: Pick<StoredResource, 'hub' | 'written'>,
  { kinds, storedKinds }: Pick<BuiltInApi, 'kinds' | 'storedKinds'>,
): Promise<{ readonly hubKind: Kind; readonly writtenKind: Kind }> {
  const hubKind = await loadKind(storedKinds, hub);
  // if only today's version is stored, the release may not have had it yet
  const isThere = await kinds.has(written.group, written.version, written.kind);
  return { hubKind, writtenKind: isThere ? await loadKind(kinds, written) : hubKind };
}

const loadKind = (from: KindSource, { group, version, kind }: StoredKind): Promise<Kind> => from.kind(group, version, kind);
