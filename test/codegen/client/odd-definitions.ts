/** Custom resource definitions whose names and texts mean something in TypeScript, or in a package of it. */
import fc from 'fast-check';

export interface OddDefinition {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly schema: object;
  readonly warning: string | undefined;
}

const GROUPS = [
  'index.ts',
  'index.js',
  'index.d.ts',
  'identity.js',
  '3.example',
  'a-b.example',
  'a.b.example',
  'meta.v1',
  'constructor.prototype',
];
const VERSIONS = ['v1', 'v1alpha1', 'v-1', 'types', 'constructor'];
const KINDS = [
  ...[
    'Foo',
    'FooApply',
    'FooApplyApply',
    'FooResource',
    'FooResourceResource',
    'foo',
    'Foo-Apply',
    'foo-apply',
    'FooSpec',
    'FooSpecApply2',
  ],
  ...[
    'Object',
    'Promise',
    'Error',
    'Date',
    'Map',
    'Record',
    'Array',
    'String',
    'Number',
    'ListMap',
    'Resource',
    'Types',
    'Constructor',
    'ToString',
  ],
  ...['class', 'delete', 'await', 'string', 'any', 'keyof', 'undefined', 'metaV1', 'meta-v1', 'x--y', 'x-y', 'X-1', 'X1'],
];
const PLURALS = [
  ...['types', 'meta-v1', 'autoscaling-v1', 'resource', 'a--b', 'a-b', 'ab', 'a-1', 'a1', 'constructor', 'to-string', 'value-of'],
  ...[
    'class',
    'delete',
    'await',
    'async',
    'arguments',
    'eval',
    'undefined',
    'global-this',
    'na-n',
    'infinity',
    'enum',
    'let',
    'static',
    'of',
  ],
];
const MEMBERS = [
  ...['spec', 'status', 'apply', 'a-b', 'a b', '', '-', '1', "'", '"', '\\', '\\"', '\n', '\u2028', '*/', '${groupDomain}', 'é', '$'],
  ...['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty', 'new', 'get', 'set', 'readonly', 'async', 'static', 'Record'],
];
const TEXTS = ['*/', '/*', '/', '\\', 'a\n*/ b', 'a\r\nb\rc', '${groupDomain}', '`${x}`', "'", '"', '@deprecated', '\u2028', '\ud800', ''];

const name = (known: readonly string[], others: RegExp): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fc.stringMatching(others) });
const member = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...MEMBERS) }, { weight: 1, arbitrary: fc.string() });
const words = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...TEXTS) }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) });

const LEAVES: readonly object[] = [
  { type: 'string' },
  { type: 'boolean' },
  { 'x-kubernetes-int-or-string': true },
  { 'x-kubernetes-preserve-unknown-fields': true },
  { type: 'string', enum: [] },
  { type: 'integer', enum: [] },
  { type: 'number', enum: [-1, 0.5, 1e21] },
  { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
];

const schema: fc.Arbitrary<object> = fc.letrec<{ any: object; object: object }>((tie) => {
  const members = fc.dictionary(member, tie('any'), { maxKeys: 4, noNullPrototype: true });
  const asObject = fc.record({ properties: members, atomic: fc.boolean(), isOpen: fc.boolean() }).map(({ properties, atomic, isOpen }) => ({
    type: 'object',
    properties,
    required: Object.keys(properties).slice(0, 2),
    ...(atomic && { 'x-kubernetes-map-type': 'atomic' }),
    ...(isOpen && { 'x-kubernetes-preserve-unknown-fields': true }),
  }));
  const keyed = fc.tuple(member, asObject).map(([key, items]) => ({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': [key],
    items: { ...items, required: [key], properties: { ...items.properties, ...Object.fromEntries([[key, { type: 'string' }]]) } },
  }));
  const form = fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    fc.array(words, { maxLength: 3 }).map((values) => ({ type: 'string', enum: values })),
    asObject,
    keyed,
    tie('any').map((items) => ({ type: 'array', items })),
    tie('any').map((additionalProperties) => ({ type: 'object', additionalProperties })),
  );
  const said = fc.record({ description: words, nullable: fc.boolean(), default: words }, { requiredKeys: [] });
  return { any: fc.tuple(form, said).map(([each, more]) => ({ ...each, ...more })), object: asObject };
}).object;

/** Several of few names, of which no two have the kind or the resource of another one. */
export const oddDefinitions: fc.Arbitrary<OddDefinition[]> = fc
  .array(
    fc.record({
      group: name(GROUPS, /^[a-z0-9]([-a-z0-9]{0,4}[a-z0-9])?\.[a-z]{1,3}$/),
      version: name(VERSIONS, /^[a-z]([-a-z0-9]{0,4}[a-z0-9])?$/),
      kind: name(KINDS, /^[A-Za-z]([-A-Za-z0-9]{0,6}[A-Za-z0-9])?$/),
      plural: name(PLURALS, /^[a-z]([-a-z0-9]{0,6}[a-z0-9])?$/),
      schema,
      warning: fc.option(words, { nil: undefined }),
    }),
    { minLength: 12, maxLength: 30 },
  )
  .map((all) =>
    distinct(
      distinct(all, ({ group, kind }) => `${group} ${kind}`),
      ({ group, plural }) => `${group} ${plural}`,
    ),
  );

const distinct = (all: readonly OddDefinition[], keyOf: (each: OddDefinition) => string): OddDefinition[] => [
  ...new Map(all.map((each) => [keyOf(each), each])).values(),
];

/** @param fields paths, of which servers take those without quotes alone */
export function definitionObject(
  { group, version, kind, plural, schema: openAPIV3Schema, warning }: OddDefinition,
  fields = [".spec['\"']"],
): object {
  const deprecation = warning === undefined ? {} : { deprecated: true, deprecationWarning: warning };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {}, scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' } },
          selectableFields: fields.map((jsonPath) => ({ jsonPath })),
          ...deprecation,
        },
      ],
    },
  };
}
