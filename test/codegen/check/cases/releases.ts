import type { Json, SchemaFiles } from '../../tree.ts';
import { proto, type Row, SPEC, schemas, spec, toys, V1 } from './edits.ts';

const COLOUR = `${SPEC}.properties.colour`;
const PART_NAME = 'components.schemas.Part.properties.name';

/** The field colour is gone from the message, with nothing in its place. */
function gone(files: SchemaFiles, marks: Json): void {
  proto(files, 'optional string colour = 1; ', 'reserved 1; ');
  Object.assign(spec(files).colour, marks);
}

/** The colour is behind a gate. @param gating what else there is to it */
const gated = (files: SchemaFiles, gating: object): void => {
  Object.assign(spec(files).colour, { 'x-cluster-feature-gate': 'ToyParts', 'x-cluster-gated': gating });
};
/** With the name of a part goes the part. @param namedIn where others are named after it */
const goingPart = (files: SchemaFiles, ...namedIn: string[]): void => {
  Object.assign(schemas(files).Part.properties.name, { 'x-cluster-feature-gate': 'ToyParts', 'x-cluster-gated': { element: { namedIn } } });
};

const gatedFlag = (gate: string): string =>
  `groups: { a: A }\nflags: [{ name: signer, group: a, type: string, status: effective, help: Signs., featureGate: ${gate} }]\n`;

export const releasesCases: readonly Row[] = [
  [
    'a release that there is not',
    'CS050',
    V1,
    'components.schemas.Toy.x-cluster-lifecycle',
    (f) => (schemas(f).Toy['x-cluster-lifecycle'].introduced = '1.99'),
  ],
  [
    'deprecated before introduced',
    'CS051',
    V1,
    'components.schemas.Toy.x-cluster-lifecycle',
    (f) => (schemas(f).Toy['x-cluster-lifecycle'] = { introduced: '1.2', deprecated: '1.1' }),
  ],
  [
    'a replacement that there is not',
    'CS052',
    V1,
    'components.schemas.Toy',
    (f) => (schemas(f).Toy['x-cluster-lifecycle'].replacement = { group: 'toys', version: 'v2', kind: 'Toy' }),
  ],
  [
    'a replacement that is the kind itself',
    'CS052',
    V1,
    'components.schemas.Toy',
    (f) => (schemas(f).Toy['x-cluster-lifecycle'].replacement = { group: 'toys.${groupDomain}', version: 'v1', kind: 'Toy' }),
  ],
  [
    'a value for a gate that is not there',
    'CS053',
    V1,
    `${SPEC}.properties.colour`,
    (f) => (spec(f).colour['x-cluster-while-gated'] = 'red'),
  ],
  ['what else there is to a gate that is not there', 'CS053', V1, COLOUR, (f) => (spec(f).colour['x-cluster-gated'] = { within: 'parts' })],
  ['another gate that is unknown', 'CS053', V1, COLOUR, (f) => gated(f, { or: 'ToyColours' })],
  ['a gate below a member that nothing has', 'CS045', V1, COLOUR, (f) => gated(f, { within: 'pieces' })],
  ['a gate with the use of a member that is behind none', 'CS045', V1, COLOUR, (f) => gated(f, { with: 'parts' })],
  ['elements that go from no list', 'CS023', V1, COLOUR, (f) => gated(f, { element: { namedIn: ['spec.parts'] } })],
  ['elements that go without a name', 'CS045', V1, COLOUR, (f) => gated(f, { element: { namedIn: ['spec.parts'] } })],
  ['elements that go, named where nothing is', 'CS045', V1, PART_NAME, (f) => goingPart(f, 'parts', 'parts.*.pieces')],
  ['elements that go, named in no list', 'CS045', V1, PART_NAME, (f) => goingPart(f, 'colour')],
  ['an unknown feature gate', 'CS053', V1, `${SPEC}.properties.colour`, (f) => (spec(f).colour['x-cluster-feature-gate'] = 'ToyColours')],
  [
    'a flag deprecated in a release that there is not',
    'CS050',
    'schemas/flags.yaml',
    'flags.old.deprecated',
    (f) =>
      (f.raw['schemas/flags.yaml'] =
        'groups: { general: General }\nflags: [{ name: old, group: general, type: string, status: effective, help: Old., deprecated: { release: "1.99", warning: gone } }]'),
  ],
  [
    'a metric deprecated in a release that there is not',
    'CS050',
    'schemas/metrics.yaml',
    'toys_total.deprecated',
    (f) =>
      (f.raw['schemas/metrics.yaml'] = 'toys_total: { type: counter, stability: STABLE, since: "1.0", deprecated: "1.99", help: Toys. }'),
  ],
  [
    'a behaviour that goes with a release that there is not',
    'CS050',
    'schemas/behaviours.yaml',
    'plays.removed',
    (f) => (f.raw['schemas/behaviours.yaml'] = 'plays: { description: Plays., deprecated: "1.0", removed: "1.99" }'),
  ],
  ['a current release that there is not', 'CS050', 'schemas/releases.yaml', 'current', (f) => (f.releases.current = '1.99')],
  [
    'releases in disorder',
    'CS054',
    'schemas/releases.yaml',
    'releases.1.1',
    (f) => (f.releases.releases = { '1.0': '2015-07-10', '1.2': '2016-03-16', '1.1': '2016-04-16' }),
  ],
  [
    'stages in disorder',
    'CS054',
    'schemas/feature-gates.yaml',
    'ToyParts.1',
    (f) => f.featureGates.ToyParts.push({ release: '1.0', stage: 'Beta', default: true }),
  ],
  [
    'a gate that requires one that there is not',
    'CS053',
    'schemas/feature-gates.yaml',
    'ToyParts.0',
    (f) => (f.featureGates.ToyParts[0].requires = ['ToyColours']),
  ],
  ['a field since a release that there is not', 'CS050', V1, COLOUR, (f) => (spec(f).colour['x-cluster-since'] = '1.99')],
  [
    'a field that ends before it begins',
    'CS080',
    V1,
    COLOUR,
    (f) => gone(f, { 'x-cluster-since': '1.20', 'x-cluster-until': '1.20', 'x-cluster-number': 3 }),
  ],
  [
    'an earlier form behind a later one',
    'CS080',
    V1,
    COLOUR,
    (f) =>
      (spec(f).colour['x-cluster-before'] = [
        { until: '1.20', type: 'boolean' },
        { until: '1.19', 'x-cluster-pointer': true },
      ]),
  ],
  [
    'the release of a value that there is not',
    'CS080',
    V1,
    COLOUR,
    (f) => Object.assign(spec(f).colour, { enum: ['Red'], 'x-cluster-enum-since': { Blue: '1.20' } }),
  ],
  ['a type that goes before the field does', 'CS081', V1, `${SPEC}.properties.parts`, (f) => (schemas(f).Part['x-cluster-until'] = '1.20')],
  [
    'a type that comes after the field did',
    'CS081',
    V1,
    `${SPEC}.properties.parts`,
    (f) => {
      schemas(f).Part['x-cluster-since'] = '1.20';
      spec(f).parts['x-cluster-since'] = '1.19';
    },
  ],
  ['a number of its own for a field that is there', 'CS013', V1, COLOUR, (f) => (spec(f).colour['x-cluster-number'] = 1)],
  ['a field that is gone without its number', 'CS082', V1, COLOUR, (f) => gone(f, { 'x-cluster-until': '1.20' })],
  [
    'a field that is gone and left its number free',
    'CS082',
    V1,
    COLOUR,
    (f) => gone(f, { 'x-cluster-until': '1.20', 'x-cluster-number': 7 }),
  ],
  ['a field that is gone with a number in use', 'CS082', V1, COLOUR, (f) => gone(f, { 'x-cluster-until': '1.20', 'x-cluster-number': 2 })],
  [
    'a kind that is introduced before its type is there',
    'CS083',
    V1,
    'components.schemas.Toy',
    (f) => (schemas(f).Toy['x-cluster-since'] = '1.2'),
  ],
  [
    'a kind whose type is gone before it is removed',
    'CS083',
    V1,
    'components.schemas.Toy',
    (f) => (schemas(f).Toy['x-cluster-until'] = '1.99'),
  ],
  [
    'a list that comes after its kind',
    'CS083',
    V1,
    'components.schemas.ToyList',
    (f) => (schemas(f).ToyList['x-cluster-lifecycle'].introduced = '1.1'),
  ],
  [
    'what was wrong in an earlier release',
    'CS053',
    V1,
    COLOUR,
    (f) =>
      Object.assign(spec(f).colour, {
        'x-cluster-feature-gate': 'ToyParts',
        'x-cluster-before': [{ until: '1.1', 'x-cluster-pointer': true }],
      }),
  ],
  ['a kind without lifecycle', 'CS055', V1, 'components.schemas.Toy', (f) => delete schemas(f).Toy['x-cluster-lifecycle']],
  [
    'one prefix in two forms',
    'CS056',
    'schemas/toys/v1beta1/openapi.yaml',
    'x-cluster-resources.toys.storage',
    (f) => delete f.openapi['toys/v1beta1']['x-cluster-resources'][0].storage,
  ],
  [
    'a subresource of an undeclared version',
    'CS058',
    V1,
    'x-cluster-resources.toys.play',
    (f) => (toys(f).subresources = [{ name: 'play', kind: 'Play', version: 'v7', verbs: ['create'], handler: 'exec' }]),
  ],
  [
    'flags of a wrong form',
    'CS059',
    'schemas/flags.yaml',
    '',
    (f) => (f.raw['schemas/flags.yaml'] = 'groups: {}\nflags: [{ name: UPPER }]\n'),
  ],
  [
    'a flag behind a gate that there is not',
    'CS053',
    'schemas/flags.yaml',
    'flags.signer.featureGate',
    (f) => (f.raw['schemas/flags.yaml'] = gatedFlag('ToySigners')),
  ],
  [
    'a flag whose default its gate refuses',
    'CS059',
    'schemas/flags.yaml',
    '',
    (f) => (f.raw['schemas/flags.yaml'] = gatedFlag('ToyParts, default: a')),
  ],
  [
    'default roles of a wrong form',
    'CS061',
    'schemas/default-policy.yaml',
    '',
    (f) => (f.raw['schemas/default-policy.yaml'] = 'clusterRoles: []\nroles: []\nclusterRoleBindings: []\n'),
  ],
];
