/** A version of a kind as owners of fields see it. */
import { type FieldPattern, type FieldSet, setOfPath, union } from '../../apply/field-set.ts';
import { shapeOf } from '../../apply/object-shape.ts';
import type { StructShape } from '../../apply/shape.ts';
import type { OwnedVersion } from '../../apply/versions.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { CompiledStruct } from '../../schema/codec/codec.ts';
import type { Kind } from '../kinds/kind.ts';

/** Fields that writes through a path do not change, and the only ones that they do; dotted paths, `*` for every element of a list. */
export interface FieldLimits {
  readonly resets: readonly string[];
  readonly owns?: readonly string[] | undefined;
}

/** A kind in a version whose fields owners may name. */
export class KindVersion implements OwnedVersion {
  readonly kind: Kind;
  readonly apiVersion: string;
  readonly type: CompiledStruct;
  readonly shape: StructShape;
  readonly resets: FieldSet;
  readonly owns: FieldPattern | undefined;

  constructor(kind: Kind, { resets, owns }: FieldLimits) {
    this.kind = kind;
    this.apiVersion = kind.apiVersion;
    this.type = kind.compiled;
    this.shape = shapeOf(kind.compiled);
    this.resets = resets.reduce<FieldSet>((set, path) => union(set, setOfPath(elementsOf(path))), {});
    this.owns = owns?.reduce<FieldPattern>((tree, path) => union(tree as FieldSet, setOfPath(elementsOf(path))), {});
  }
}

function elementsOf(path: string): string[] {
  return path
    .split('.')
    .filter((name) => name !== '')
    .map((name) => (name === '*' ? name : `f:${name}`));
}

export function convert(object: ApiObject, from: KindVersion, to: KindVersion): ApiObject {
  return to.kind.fromHub(from.kind.toHub(from.kind.normalized(object)));
}
