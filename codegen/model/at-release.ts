/** Makes the API of one release: of all that the schemas state, it takes what that release had, in the form that it had then. */
import type { Lifecycle } from '../../runtime/contract/kind.ts';
import { earlierForm, isThere, type Lifespan, lifespansIn, thereAt } from './lifespan.ts';
import type { FieldModel, GroupVersion, Model, ModelData, NamedType, PrimitiveUse, ReservedItem, StructModel, TypeUse } from './model.ts';
import { reachableTypes } from './reachable-types.ts';

/**
 * @param all what the schemas state of every release
 * @returns the API of the current release; its `at` makes that of another one, once
 */
export function currentModel(all: ModelData): Model {
  const releases = new Releases(all);
  const models = new Map<string, Model>();
  const make = (release: string): Model => {
    const model: Model = { ...releases.at(release), release, all, at };
    models.set(release, model);
    return model;
  };
  const at = (release: string): Model => {
    const made = models.get(release);
    if (made === undefined && !all.releases.some(({ name }) => name === release)) throw new RangeError(`there is no release ${release}`);
    return made ?? make(release);
  };
  return make(all.currentRelease);
}

class Releases {
  readonly #all: ModelData;
  /** Types that are the same in every release that has them. */
  readonly #unchanging: ReadonlySet<NamedType>;
  /** Definitions of kinds, of types with a lifespan, and of types that none of these leads to. Each is there whether or not something refers to it. */
  readonly #independent: ReadonlySet<string>;

  constructor(all: ModelData) {
    const types = [...all.types.values()];
    this.#all = all;
    this.#unchanging = new Set(types.filter((type) => lifespansIn(type).length === 0));
    const stated = types.filter((type) => type.since !== undefined || type.until !== undefined || isKind(type));
    const used = reachableTypes(stated, all.types);
    this.#independent = new Set(
      [...stated, ...types.filter(({ definition }) => !used.has(definition))].map(({ definition }) => definition),
    );
  }

  at(release: string): ModelData {
    const all = this.#all;
    const types = this.#typesAt(release);
    const groupVersions = all.groupVersions.map((groupVersion) => groupVersionAt(groupVersion, types, release));
    return {
      ...all,
      groupVersions: groupVersions.filter((groupVersion) => groupVersion.types.length > 0),
      types,
      featureGates: all.featureGates
        .map(({ name, stages }) => ({ name, stages: stages.filter((stage) => isThere({ since: stage.release }, release)) }))
        .filter(({ stages }) => stages.length > 0),
    };
  }

  /** A type that is not independent is there as long as something that is there refers to it. */
  #typesAt(release: string): ReadonlyMap<string, NamedType> {
    const there = new Map(
      this.#all.groupVersions
        .filter((groupVersion) => isThere(groupVersion, release))
        .flatMap(({ types }) => types)
        .filter((type) => isThere(lifespanOf(type), release))
        .map((type) => [type.definition, this.#unchanging.has(type) ? type : typeAt(type, release)]),
    );
    const roots = [...there.values()].filter(({ definition }) => this.#independent.has(definition));
    const used = reachableTypes(roots, there);
    return new Map([...there].filter(([definition]) => used.has(definition)));
  }
}

function isKind(type: NamedType): boolean {
  return type.kind === 'struct' && type.topLevel;
}

/** A kind is there from its introduction on. It has no end, because its type stays when it is no longer served. */
export function lifespanOf(type: NamedType): Lifespan {
  const introduced = type.kind === 'struct' && type.topLevel ? type.lifecycle?.introduced : undefined;
  const since = type.since ?? introduced;
  return { ...(since !== undefined && { since }), ...(type.until !== undefined && { until: type.until }) };
}

/** A resource that states no lifespan is there while its kind is served. */
export function servedSpan(resource: Lifespan, lifecycle: Lifecycle | undefined): Lifespan {
  const [since, until] = [resource.since ?? lifecycle?.introduced, resource.until ?? lifecycle?.removed];
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

function groupVersionAt(stated: GroupVersion, types: ReadonlyMap<string, NamedType>, release: string): GroupVersion {
  const { before, since: _since, until: _until, ...groupVersion } = stated;
  const { until: _ended, ...changed } = earlierForm(before, release) ?? { until: '' };
  const lifecycles = new Map(stated.types.map((type) => [type.name, type.kind === 'struct' ? type.lifecycle : undefined]));
  const served = stated.resources.map((resource) => ({ ...resource, ...servedSpan(resource, lifecycles.get(resource.kind)) }));
  return {
    ...groupVersion,
    ...changed,
    resources: thereAt(served, release),
    types: stated.types.flatMap(({ definition }) => types.get(definition) ?? []),
  };
}

function typeAt(type: NamedType, release: string): NamedType {
  return type.kind === 'struct' ? structAt(type, release) : withoutLifespan(type);
}

function structAt(struct: StructModel, release: string): StructModel {
  const stated = struct.fields.filter((field) => isThere(field, release));
  const names = new Set(struct.fields.filter((field) => !stated.includes(field)).map(({ name }) => name));
  for (const { name } of stated) names.delete(name);
  return {
    ...withoutLifespan(struct),
    fields: stated.map((field) => fieldAt(field, release)),
    required: struct.required.filter((name) => !names.has(name)),
    reserved: reservedAt(struct, release),
    defaults: thereAt(struct.defaults, release),
    ...(struct.table !== undefined && { table: thereAt(struct.table, release) }),
    ...(struct.validations !== undefined && {
      validations: thereAt(struct.validations, release).filter((entry) => typeof entry !== 'string' || !names.has(entry)),
    }),
  };
}

function withoutLifespan<T extends Lifespan>({ since: _since, until: _until, ...others }: T): Omit<T, keyof Lifespan> {
  return others;
}

function fieldAt(stated: FieldModel, release: string): FieldModel {
  const { before, ...field } = withoutLifespan(earlierForm(stated.before, release)?.field ?? stated);
  return {
    ...field,
    type: useAt(field.type, release),
    ...(field.constraints !== undefined && { constraints: thereAt(field.constraints, release) }),
    ...(field.dependentDefaults !== undefined && { dependentDefaults: thereAt(field.dependentDefaults, release) }),
  };
}

function useAt(use: TypeUse, release: string): TypeUse {
  if (use.kind === 'list') return { ...use, element: useAt(use.element, release) };
  if (use.kind === 'map') return { ...use, value: useAt(use.value, release) };
  return use.kind === 'named' || use.lifespans === undefined ? use : valuesAt(use, release);
}

function valuesAt({ lifespans = {}, ...use }: PrimitiveUse, release: string): PrimitiveUse {
  const there = (values: readonly string[]) => values.filter((value) => isThere(lifespans[value] ?? {}, release));
  return {
    ...use,
    ...(use.enum !== undefined && { enum: there(use.enum) }),
    ...(use.constants !== undefined && { constants: there(use.constants) }),
  };
}

/**
 * A number is reserved from the release on in which its field is gone. The schemas state all reserved numbers, so those that are still in use are taken out.
 */
function reservedAt({ reserved, fields }: StructModel, release: string): readonly ReservedItem[] {
  const inUse = fields.filter(({ until }) => until !== undefined && isThere({ until }, release)).map(({ number }) => number);
  if (inUse.length === 0) return reserved;
  return reserved.flatMap((item): ReservedItem[] => {
    if (typeof item === 'string') return [item];
    const numbers = inUse.filter((number) => number !== undefined && item[0] <= number && number <= item[1]) as number[];
    return withoutNumbers(item, numbers);
  });
}

/** @returns what is left of a range of numbers, as ranges; `numbers` lie within it */
function withoutNumbers([first, last]: readonly [number, number], numbers: readonly number[]): [number, number][] {
  const left: [number, number][] = [];
  let next = first;
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    if (next < number) left.push([next, number - 1]);
    next = number + 1;
  }
  if (next <= last) left.push([next, last]);
  return left;
}
