/** Takes the part of a client's model that somebody asks for, with all types that it leads to. */
import {
  type ClientGroupVersion,
  type ClientModel,
  type ClientResource,
  type ClientType,
  keyOf,
  referencesIn,
  type TypeReference,
} from './client-model.ts';

/** Selects resources of a group version; an empty list selects none. */
export type Choose = (groupVersion: ClientGroupVersion) => readonly ClientResource[];

/**
 * @param all every group version, with all types to which the chosen resources may lead
 * @returns the chosen resources with their types; a group version none of whose types is needed is left out
 */
export function selectResources(all: readonly ClientGroupVersion[], choose: Choose): ClientModel {
  const chosen = new Map(all.map((groupVersion) => [groupVersion, choose(groupVersion)]));
  const reached = reachable(
    all,
    [...chosen].flatMap(([{ folder }, resources]) => resources.flatMap((each) => rootsOf(each, folder))),
  );
  const groupVersions = all.map((groupVersion) => ({
    ...groupVersion,
    resources: chosen.get(groupVersion) ?? [],
    types: groupVersion.types.filter(({ name }) => reached.has(keyOf({ folder: groupVersion.folder, name }))),
  }));
  return { groupVersions: groupVersions.filter(({ types }) => types.length > 0).sort(byFolder) };
}

function rootsOf({ type, subresources }: ClientResource, folder: string): TypeReference[] {
  return [{ folder, name: type }, ...subresources.map(({ object }) => object)];
}

function reachable(all: readonly ClientGroupVersion[], roots: readonly TypeReference[]): ReadonlySet<string> {
  const types = new Map(all.flatMap(({ folder, types: own }) => own.map((type) => [keyOf({ folder, name: type.name }), type] as const)));
  const reached = new Set<string>();
  const waiting = [...roots];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const key = keyOf(next);
    const type = types.get(key);
    if (reached.has(key) || type === undefined) continue;
    reached.add(key);
    waiting.push(...shapesOf(type).flatMap(referencesIn));
  }
  return reached;
}

/** @returns the shapes in which a type refers to others */
export function shapesOf(type: ClientType) {
  if (type.kind === 'alias') return [type.shape];
  return [...type.fields.map(({ shape }) => shape), ...(type.others === undefined ? [] : [type.others])];
}

const byFolder = (a: ClientGroupVersion, b: ClientGroupVersion): number => (a.folder < b.folder ? -1 : 1);
