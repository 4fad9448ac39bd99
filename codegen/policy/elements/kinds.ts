/** Lists kinds, and says whether a release serves them. */
import type { Lifecycle } from '../../../runtime/contract/kind.ts';
import { compareReleases } from '../../model/lifespan.ts';
import type { GroupVersion, Model, ModelData, StructModel } from '../../model/model.ts';

/** A kind in one of its versions. */
export interface KindOfVersion {
  readonly groupVersion: GroupVersion;
  readonly kind: StructModel;
}

/** Nothing changes a model once it is built, so its kinds are listed once. */
const listed = new WeakMap<ModelData, ReadonlyMap<string, KindOfVersion>>();

function kindsByName(model: ModelData): ReadonlyMap<string, KindOfVersion> {
  const known = listed.get(model);
  if (known !== undefined) return known;
  const kinds = model.groupVersions.flatMap((groupVersion) =>
    groupVersion.types.flatMap((kind) => (kind.kind === 'struct' && kind.topLevel ? [{ groupVersion, kind }] : [])),
  );
  const byName = new Map(kinds.map((each) => [kindName(each.groupVersion, each.kind.name), each]));
  listed.set(model, byName);
  return byName;
}

/** @returns all kinds in the order of the schemas */
export function kindsOf(model: ModelData): KindOfVersion[] {
  return [...kindsByName(model).values()];
}

/** Whether a release serves a kind; one without a lifecycle is always served. */
export function isServed({ lifecycle }: { readonly lifecycle?: Lifecycle }, release: string): boolean {
  if (lifecycle === undefined) return true;
  const { introduced, removed } = lifecycle;
  return compareReleases(introduced, release) <= 0 && (removed === undefined || compareReleases(release, removed) < 0);
}

export function servedKinds(model: Model): KindOfVersion[] {
  return kindsOf(model).filter(({ kind }) => isServed(kind, model.release));
}

/** @returns the name of a kind in its version, such as `batch/v1 CronJob` */
export function kindName({ folder }: Pick<GroupVersion, 'folder'>, kind: string): string {
  return `${folder} ${kind}`;
}

/** @returns the kind of the same name in the same version of another state; undefined if there is none */
export function sameKind(model: ModelData, { groupVersion, kind }: KindOfVersion): KindOfVersion | undefined {
  return kindsByName(model).get(kindName(groupVersion, kind.name));
}
