/** What requests are about: every resource and subresource of the API, and objects of every kind, as the schemas state them. */
import path from 'node:path';
import { randomObject } from '../../codegen/policy/conversions/random-objects.ts';
import { currentRelease } from '../../generated/releases.ts';
import { groupVersions } from '../../generated/routes.ts';
import type { Verb } from '../../runtime/contract/kind.ts';
import { compareReleases } from '../../runtime/contract/lifespan.ts';
import type { Kind } from '../../runtime/registry/kinds/kind.ts';
import { isObject, type JsonObject, setMember } from '../../runtime/schema/json/member.ts';
import { isRawNumber } from '../../runtime/schema/scalar/raw-number.ts';
import { readCases } from '../conformance/cases.ts';
import { identity } from '../kinds/context.ts';
import { allKinds } from '../registry/roundtrip/all-kinds.ts';
import { type CustomTarget, customObject, customTargets, definitionsOf, type Hook } from './custom-resources.ts';
import type { Random } from './random.ts';

/** A collection, or a subresource of objects in one. */
interface Place {
  /** such as `/apis/apps/v1` */
  readonly root: string;
  readonly resource: string;
  /** '' for the object itself */
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
}

/** One of the built-in API. */
export interface BuiltInTarget extends Place {
  /** of what is written there */
  readonly kind: Kind;
}

export type Target = BuiltInTarget | CustomTarget;

export const NAMESPACES = ['default', 'fuzz', 'kube-system'];
export const NAMES = ['a', 'b', 'fuzz', 'default', 'kubernetes'];

/** Requests to custom resources, and about their definitions, of all. */
const CUSTOM = 0.25;
const DEFINING = 0.03;

export class Model {
  readonly #targets: readonly BuiltInTarget[];
  readonly #recorded: ReadonlyMap<string, readonly JsonObject[]>;
  readonly #hook: Hook | undefined;

  private constructor(targets: readonly BuiltInTarget[], recorded: ReadonlyMap<string, readonly JsonObject[]>, hook: Hook | undefined) {
    this.#targets = targets;
    this.#recorded = recorded;
    this.#hook = hook;
  }

  /** @param hook converts custom resources */
  static async load(hook?: Hook): Promise<Model> {
    const kinds = new Map((await allKinds()).map((kind) => [`${kind.apiVersion} ${kind.kind}`, kind]));
    const targets = groupVersions.flatMap(({ group: template, version, resources }) => {
      const group = identity.text(template);
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      return resources.flatMap((resource) =>
        [{ name: '', kind: resource.kind, group: template, version, verbs: resource.verbs }, ...resource.subresources].flatMap(
          (part): BuiltInTarget[] => {
            const of = identity.text(part.group ?? template);
            const kind = kinds.get(`${of === '' ? '' : `${of}/`}${part.version ?? version} ${part.kind}`);
            if (kind === undefined || isRemoved(kind)) return [];
            return [
              {
                root,
                resource: resource.name,
                subresource: part.name,
                namespaced: resource.scope === 'Namespaced',
                verbs: part.verbs,
                kind,
              },
            ];
          },
        ),
      );
    });
    return new Model(targets, await recordedObjects(), hook);
  }

  /** What a request is about, and the name of an object there. */
  target(generation: number, random: Random): { readonly target: Target; readonly name: string } {
    if (random.chance(CUSTOM)) return { target: random.oneOf(customTargets(generation)), name: random.oneOf(NAMES.slice(0, 2)) };
    const target = random.chance(DEFINING)
      ? (this.#targets.find(({ kind, subresource }) => isDefinition(kind) && subresource === '') as BuiltInTarget)
      : random.oneOf(this.#targets);
    const defines = isDefinition(target.kind) && random.chance(0.8);
    return { target, name: defines ? nameOf(random.oneOf(this.definitions(generation))) : random.oneOf(NAMES) };
  }

  /** Definitions that are there for so many requests. */
  definitions(generation: number): readonly JsonObject[] {
    return definitionsOf(generation, this.#hook);
  }

  /** An object that may be right: one that was sent to 1.32, a random one of the schema, or the first with members of the second. */
  object(target: Target, generation: number, random: Random, name: string, namespace: string): JsonObject {
    if (!('kind' in target)) return customObject(target, random, name, namespace);
    const { kind } = target;
    const definitions = isDefinition(kind) ? definitionsOf(generation, this.#hook, random.chance(0.6)) : [];
    const defined = definitions.find((each) => nameOf(each) === name);
    return defined ?? this.#builtIn(kind, random, name, namespace);
  }

  #builtIn(kind: Kind, random: Random, name: string, namespace: string): JsonObject {
    const recorded = this.#recorded.get(`${kind.apiVersion} ${kind.kind}`) ?? [];
    const asRecorded = (): JsonObject => random.oneOf(recorded);
    const randomly = (): JsonObject => randomObject(kind.data.type, { seed: random.below(2 ** 31), size: random.below(80) });
    const made = (recorded.length === 0 ? [randomly] : random.oneOf([[asRecorded], [randomly], [asRecorded, randomly]])).reduce(
      (object, make) => overlaid(object, make()) as JsonObject,
      {} as JsonObject,
    );
    const metadata: JsonObject = random.chance(0.8) || !isObject(made.metadata) ? { name } : { ...made.metadata, name };
    return { ...made, apiVersion: kind.apiVersion, kind: kind.kind, metadata: namespace === '' ? metadata : { ...metadata, namespace } };
  }
}

const isDefinition = ({ kind }: Kind): boolean => kind === 'CustomResourceDefinition';

const nameOf = ({ metadata }: JsonObject): string => (metadata as { name: string }).name;

/** What the second has in place of the first's, or beside it, down to single values. */
function overlaid(below: unknown, above: unknown): unknown {
  if (Array.isArray(below) && Array.isArray(above)) {
    const [longer, shorter] = below.length > above.length ? [below, above] : [above, below];
    return longer.map((item, index) => (index < shorter.length ? overlaid(below[index], above[index]) : item));
  }
  if (!isObject(below) || !isObject(above) || isRawNumber(above)) return above;
  const object: JsonObject = {};
  for (const name of Object.keys(below)) setMember(object, name, below[name]);
  for (const name of Object.keys(above))
    setMember(object, name, Object.hasOwn(below, name) ? overlaid(below[name], above[name]) : above[name]);
  return object;
}

function isRemoved({ data: { lifecycle } }: Kind): boolean {
  return lifecycle.removed !== undefined && compareReleases(lifecycle.removed, currentRelease) <= 0;
}

/** Bodies of the recorded conversations, by version and kind. */
async function recordedObjects(): Promise<Map<string, JsonObject[]>> {
  const cases = await readCases(path.join(import.meta.dirname, '../conformance'));
  const objects = cases.flatMap(({ steps }) => steps.flatMap((step) => ('body' in step && isObject(step.body) ? [step.body] : [])));
  const typed = objects.filter(({ apiVersion, kind }) => typeof apiVersion === 'string' && typeof kind === 'string');
  return Map.groupBy(typed, ({ apiVersion, kind }) => `${apiVersion} ${kind}`);
}
