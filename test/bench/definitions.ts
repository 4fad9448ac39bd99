/** The custom resource definitions that the bench stores, as other people's projects publish them, and objects of theirs. */
import { LAST_TWO_DIGITS, NUMBER } from './load/numbered-request.ts';
import { PERCENT_LABEL } from './objects.ts';

const GROUPS = 25;
const SECTIONS = 12;
const FIELDS = 14;
/** Texts of an object of 1 KB, as long as those of a config map with as many. */
const TEXTS = 10;
const TEXT = 'x'.repeat(60);

export interface Defined {
  /** of the definition */
  readonly name: string;
  readonly kind: string;
  /** such as `apis/bench7.example.com/v1` */
  readonly groupVersion: string;
  /** of its objects, in a namespace */
  readonly collection: (namespace: string) => string;
  /** of the definition */
  readonly body: string;
  /** of one of its objects, with the marks of `NumberedRequest` */
  readonly object: string;
}

/**
 * About 200 nodes and 40 KB, most of it descriptions.
 * @param number tells definitions apart; groups have several
 * @param groupDomain as of `Bench`
 */
export function benchDefinition(number: number, groupDomain: string): Defined {
  const group = `bench${number % GROUPS}.example.com`;
  const plural = `gadgets${number}`;
  const kind = `Gadget${number}`;
  const name = `${plural}.${group}`;
  return {
    name,
    kind,
    groupVersion: `apis/${group}/v1`,
    collection: (namespace) => `/apis/${group}/v1/namespaces/${namespace}/${plural}`,
    body: JSON.stringify({
      apiVersion: `apiextensions.${groupDomain}/v1`,
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, singular: `gadget${number}`, kind, listKind: `${kind}List`, shortNames: [`gd${number}`], categories: ['all'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: rootSchema() },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'Mode', type: 'string', jsonPath: '.spec.section0.field0' }],
          },
        ],
      },
    }),
    object: JSON.stringify({
      apiVersion: `${group}/v1`,
      kind,
      metadata: objectMetadata('gadget'),
      spec: { section0: Object.fromEntries(texts('field')) },
    }),
  };
}

/** A config map with as many texts as objects of definitions have. */
export function likeGadgetBody(): string {
  const metadata = objectMetadata('map');
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(texts('entry')) });
}

const objectMetadata = (name: string) => ({
  name: `${name}-${NUMBER}`,
  labels: { app: 'bench', [PERCENT_LABEL]: `p${LAST_TWO_DIGITS}` },
});
const texts = (name: string) => Array.from({ length: TEXTS }, (_, i) => [`${name}${i}`, TEXT]);

function rootSchema(): object {
  return {
    type: 'object',
    description: 'Gadget is what an operator makes of what somebody wants, with all that may be said of it.',
    properties: {
      apiVersion: { type: 'string', description: describe('apiVersion') },
      kind: { type: 'string', description: describe('kind') },
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        description: describe('spec'),
        properties: Object.fromEntries(Array.from({ length: SECTIONS }, (_, i) => [`section${i}`, section(i)])),
      },
      status: { type: 'object', properties: { phase: { type: 'string' }, conditions: conditions() } },
    },
  };
}

function section(number: number): object {
  const properties = Array.from({ length: FIELDS }, (_, i) => {
    const description = describe(`field${i} of section ${number}`);
    if (i < TEXTS) return [`field${i}`, { type: 'string', description, maxLength: 200 }];
    if (i % 2 === 0) return [`field${i}`, { type: 'integer', format: 'int32', description, minimum: 0, default: i }];
    return [`field${i}`, { type: 'array', description, items: { type: 'string', enum: ['One', 'Two', 'Three'] } }];
  });
  return { type: 'object', description: describe(`section ${number}`), properties: Object.fromEntries(properties) };
}

function conditions(): object {
  const members = ['type', 'status', 'reason', 'message'].map((name) => [name, { type: 'string', description: describe(name) }]);
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: { type: 'object', required: ['type', 'status'], properties: Object.fromEntries(members) },
  };
}

const describe = (what: string): string =>
  `The ${what} says what the operator is to do with it, and what it leaves alone. It may be left out. More info: https://example.com/docs`;
