/** Finds what one version of a kind cannot hold of another one. */
import type { Field, StructType, Type } from '../../../runtime/contract/descriptor.ts';
import type { ConversionStep } from '../../../runtime/contract/kind.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { flatFields, isTypeMeta } from './random-objects.ts';

/** A field of one version, with the version that cannot hold it. The path does not mention lists and maps. */
export interface MissingField {
  readonly path: string;
  readonly missing: string;
  /** True if the other version has the field, but does not tell its zero value from an absent one. */
  readonly zeroAlone: boolean;
}

/**
 * Finds the fields of one version that another version of the kind cannot hold: those that its schema lacks while no step moves them and no annotation keeps
 * them, and those whose zero value it cannot tell from an absent one. A hand-written conversion answers for all fields, so there are none then.
 * @throws Error if the versions have different hubs
 */
export function missingFields(from: Kind, to: Kind): MissingField[] {
  if (from.hub !== to.hub) throw new Error(`${from.apiVersion} and ${to.apiVersion} ${from.kind} have different hubs`);
  if (from === to || from.data.conversion?.function !== undefined || to.data.conversion?.function !== undefined) return [];
  const moved = new Map<string, string>();
  for (const step of from.data.conversion?.steps ?? []) if (step.op === 'rename') moved.set(step.from, step.to);
  const back = new Map<string, string>();
  for (const step of to.data.conversion?.steps ?? []) if (step.op === 'rename') back.set(step.to, step.from);
  const kept = new Set([...keptPaths(from.data.conversion?.steps), ...keptPaths(to.data.conversion?.steps)]);
  const walk = new MissingWalk(kept, [...moved.keys(), ...back.keys()], (path) => {
    const inHub = movedPath(moved, path);
    return movedPath(back, inHub);
  });
  return walk.of(from.data.type, to.data.type).map((field) => ({ ...field, missing: to.apiVersion }));
}

/** A step moves everything below its path as well. */
function movedPath(moves: ReadonlyMap<string, string>, path: string): string {
  for (const [from, to] of moves) if (path === from || path.startsWith(`${from}.`)) return to + path.slice(from.length);
  return path;
}

function keptPaths(steps: readonly ConversionStep[] = []): string[] {
  return steps.flatMap((step) => (step.op === 'keepInAnnotation' ? [step.path] : []));
}

type Lacking = Omit<MissingField, 'missing'>;

class MissingWalk {
  readonly #kept: ReadonlySet<string>;
  readonly #there: (path: string) => string;
  readonly #movedFrom: readonly string[];
  #target: StructType | undefined;

  /**
   * @param movedFrom the paths from which steps move something
   * @param there gives the path in the other version for a path in this one
   */
  constructor(kept: ReadonlySet<string>, movedFrom: readonly string[], there: (path: string) => string) {
    this.#kept = kept;
    this.#movedFrom = movedFrom;
    this.#there = there;
  }

  /** Whether a member below `path` stands elsewhere in the other version. */
  #movesBelow(path: string): boolean {
    return this.#movedFrom.some((moved) => moved.startsWith(`${path}.`));
  }

  of(from: StructType, to: StructType): Lacking[] {
    this.#target = to;
    return this.#struct(from, to, '', []);
  }

  #struct(from: StructType, to: StructType | undefined, prefix: string, within: readonly StructType[]): Lacking[] {
    if (from === to || within.includes(from)) return [];
    const names = new Map((to === undefined ? [] : flatFields(to)).map((field) => [field.name, field]));
    return flatFields(from).flatMap((field) => {
      if (prefix === '' && isTypeMeta(field)) return [];
      const path = `${prefix}${field.name}`;
      if (this.#kept.has(path)) return [];
      const there = this.#there(path);
      const other = there === path ? names.get(field.name) : fieldAt(this.#target as StructType, there);
      const inner = structIn(field.type);
      if (other === undefined)
        return inner !== undefined && this.#movesBelow(path)
          ? this.#struct(inner, undefined, `${path}.`, [...within, from])
          : [{ path, zeroAlone: false }];
      if (field.go?.pointer && !other.go?.pointer && inner === undefined) return [{ path, zeroAlone: true }];
      const otherInner = structIn(other.type);
      if (inner === undefined || otherInner === undefined) return [];
      return this.#struct(inner, otherInner, `${path}.`, [...within, from]);
    });
  }
}

function fieldAt(type: StructType, path: string): Field | undefined {
  let at: StructType | undefined = type;
  let field: Field | undefined;
  for (const name of path.split('.')) {
    field = at === undefined ? undefined : flatFields(at).find((each) => each.name === name);
    at = field === undefined ? undefined : structIn(field.type);
  }
  return field;
}

function structIn(type: Type): StructType | undefined {
  if (type.kind === 'list') return structIn(type.element);
  if (type.kind === 'map') return structIn(type.value);
  return type.kind === 'struct' ? type : undefined;
}
