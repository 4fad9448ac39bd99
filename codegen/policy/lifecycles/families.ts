/** Groups the versions of a kind, in whatever group they are: those that hold the same objects, and those that replace each other. */
import type { ModelData } from '../../model/model.ts';
import { type KindOfVersion, kindName, kindsOf } from '../elements/kinds.ts';

/** Finds the versions to which users of a kind can go, in one state of the schemas. */
export class KindFamilies {
  readonly #byName = new Map<string, KindOfVersion>();
  /** Kinds by `group kind`: under each key those that are stored as that kind, and those of that group and name. */
  readonly #members = new Map<string, KindOfVersion[]>();

  constructor(all: ModelData) {
    for (const each of kindsOf(all)) {
      const { groupVersion, kind } = each;
      this.#byName.set(nameOf(groupVersion.group, groupVersion.version, kind.name), each);
      const { group, kind: name } = kind.conversion ?? { group: groupVersion.group, kind: kind.name };
      for (const key of new Set([`${group} ${name}`, `${groupVersion.group} ${kind.name}`]))
        this.#members.set(key, [...(this.#members.get(key) ?? []), each]);
    }
  }

  /** @returns the other versions to which users of a kind can go; the one that its lifecycle names comes first */
  othersOf({ groupVersion, kind }: KindOfVersion): KindOfVersion[] {
    const { group, kind: name } = kind.conversion ?? { group: groupVersion.group, kind: kind.name };
    const members = [`${group} ${name}`, `${groupVersion.group} ${kind.name}`].flatMap((key) => this.#members.get(key) ?? []);
    const named = this.replacementOf({ groupVersion, kind });
    const others = new Map(
      [...(named === undefined ? [] : [named]), ...members].map((each) => [kindName(each.groupVersion, each.kind.name), each]),
    );
    others.delete(kindName(groupVersion, kind.name));
    return [...others.values()];
  }

  /** @returns the replacement that the lifecycle names; undefined if it names none, or the schemas do not have it */
  replacementOf({ kind }: KindOfVersion): KindOfVersion | undefined {
    const by = kind.lifecycle?.replacement;
    return by === undefined ? undefined : this.#byName.get(nameOf(by.group, by.version, by.kind));
  }
}

function nameOf(group: string, version: string, kind: string): string {
  return JSON.stringify([group, version, kind]);
}
