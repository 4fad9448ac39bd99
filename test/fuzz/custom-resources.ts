/**
 * Custom resources for random requests: their definitions have several versions, constraints, rules, subresources, columns, selectable fields and
 * a webhook now and then. What a definition says is decided by its place and its generation, so that a seed knows it too.
 */
import type { Verb } from '../../runtime/contract/kind.ts';
import type { JsonObject } from '../../runtime/schema/json/member.ts';
import type { CustomSchema } from '../../runtime/structural-schema/custom-schema.ts';
import { Random } from './random.ts';
import { randomValue, SchemaMaker } from './random-schemas.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUPS = ['fuzz.example', 'other.fuzz.example'];
/** Definitions at a time. */
const COUNT = 8;
/** Requests for which the definitions are what they are. */
const GENERATION = 512;
const VERSIONS = ['v1', 'v1beta1', 'v2'];
const VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const OF_SUBRESOURCE: readonly Verb[] = ['get', 'patch', 'update'];

/** A webhook that converts. */
export interface Hook {
  readonly url: string;
  /** in base64 */
  readonly caBundle: string;
}

export interface CustomTarget {
  readonly root: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly apiVersion: string;
  readonly kindName: string;
  readonly schema: CustomSchema;
}

export const generationOf = (seed: number): number => Math.floor(seed / GENERATION);

/** The definitions of a generation. @param wrong nearly the same, which may be wrong */
export function definitionsOf(generation: number, hook: Hook | undefined, wrong = false): JsonObject[] {
  return Array.from({ length: COUNT }, (_, index) => definition(index, generation, hook, wrong));
}

/** What they serve, if they are accepted. */
export function customTargets(generation: number): CustomTarget[] {
  return definitionsOf(generation, undefined).flatMap(targetsOf);
}

interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly plural: string; readonly kind: string };
  readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: CustomSchema } }[];
}

function targetsOf({ spec }: JsonObject): CustomTarget[] {
  const { group, scope, names, versions } = spec as Spec;
  return versions.flatMap(({ name, schema: { openAPIV3Schema: schema } }) =>
    ['', 'status', 'scale'].map((subresource) => ({
      root: `/apis/${group}/${name}`,
      resource: names.plural,
      subresource,
      namespaced: scope === 'Namespaced',
      verbs: subresource === '' ? VERBS : OF_SUBRESOURCE,
      apiVersion: subresource === 'scale' ? 'autoscaling/v1' : `${group}/${name}`,
      kindName: subresource === 'scale' ? 'Scale' : names.kind,
      schema: subresource === 'scale' ? SCALE : schema,
    })),
  );
}

const SCALE: CustomSchema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { replicas: { type: 'integer' } } } },
};

/** An object that may be right. */
export function customObject({ schema, apiVersion, kindName }: CustomTarget, random: Random, name: string, namespace: string): JsonObject {
  const made = randomValue(random, schema) as JsonObject;
  const metadata: JsonObject = { name, ...(namespace !== '' && { namespace }), ...(random.chance(0.2) && { labels: { a: 'b' } }) };
  return { ...made, apiVersion, kind: kindName, metadata };
}

function definition(index: number, generation: number, hook: Hook | undefined, wrong: boolean): JsonObject {
  const random = new Random(generation * COUNT + index);
  // names and scopes stay, so that a generation changes the schemas of objects that are there
  const group = GROUPS[index % GROUPS.length] as string;
  const plural = `things${index}`;
  const converts = random.chance(0.5);
  const stored = random.oneOf(VERSIONS);
  const maker = new SchemaMaker(random, wrong);
  const root = maker.root();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: index % 4 === 3 ? 'Cluster' : 'Namespaced',
      names: { plural, singular: `thing${index}`, kind: `Thing${index}`, listKind: `Thing${index}List`, shortNames: [`t${index}`] },
      versions: VERSIONS.map((name) => version(random, name, name === stored, random.chance(0.7) ? root : maker.root())),
      ...(converts &&
        hook !== undefined && {
          conversion: { strategy: 'Webhook', webhook: { clientConfig: { ...hook }, conversionReviewVersions: ['v1'] } },
        }),
    },
  };
}

function version(random: Random, name: string, storage: boolean, schema: CustomSchema): JsonObject {
  const selectable = Object.entries(schema.properties?.spec?.properties ?? {}).flatMap(([member, { type, format }]) =>
    /^[a-z]+$/.test(member) && (type === 'string' || type === 'integer') && format === undefined ? [member] : [],
  );
  return {
    name,
    served: storage || random.chance(0.9),
    storage,
    ...(random.chance(0.1) && { deprecated: true }),
    schema: { openAPIV3Schema: schema },
    subresources: {
      ...(random.chance(0.7) && { status: {} }),
      ...(random.chance(0.3) && { scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' } }),
    },
    ...(random.chance(0.5) && {
      additionalPrinterColumns: [
        {
          name: 'A',
          type: random.oneOf(['string', 'integer', 'number', 'boolean', 'date']),
          jsonPath: random.oneOf(['.spec.a', '.spec.list[*].name', '.metadata.labels', '.spec["a"]']),
        },
      ],
    }),
    ...(selectable.length > 0 && random.chance(0.5) && { selectableFields: [{ jsonPath: `.spec.${random.oneOf(selectable)}` }] }),
  };
}
