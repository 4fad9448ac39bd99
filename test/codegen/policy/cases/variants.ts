/** Changes that differ in how they are written from those of the other cases: what is violated all the same, and what is not. */
import { type Json, list, own, struct, text } from '../../tree.ts';
import { ALPHA, BETA, type Edit, flagNamed, lifecycleOf, schemasOf, setProto, setTable, specOf, toysOf, V1 } from '../states.ts';
import { addVersion, storeAs } from './lifecycle-violations.ts';
import { row, type ViolationRow } from './row.ts';

const FIELD = 'toys/v1 ToySpec';
const GROUP = 'toys.${groupDomain}';

const flag =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => Object.assign(flagNamed(table, name), change));
const withoutFlag =
  (name: string): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => table.flags.splice(table.flags.indexOf(flagNamed(table, name)), 1));
const metric =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'metrics', (table) => Object.assign(table[name], change));
const withoutMetric =
  (name: string): Edit =>
  (f) =>
    setTable(f, 'metrics', (table) => delete table[name]);
const setLifecycle = (f: Parameters<Edit>[0], folder: string, lifecycle: object): void => {
  for (const name of ['Toy', 'ToyList']) Object.assign(lifecycleOf(f, folder, name), lifecycle);
};
const replaceLifecycle = (f: Parameters<Edit>[0], folder: string, lifecycle: object): void => {
  for (const name of ['Toy', 'ToyList']) schemasOf(f, folder)[name]['x-cluster-lifecycle'] = lifecycle;
};
/** Dates of releases, for spans that are as long in months as in releases, or are not. */
const dates =
  (of: Readonly<Record<string, string>>): Edit =>
  (f) =>
    Object.assign(f.releases.releases, of);
const both =
  (...edits: readonly Edit[]): Edit =>
  (f) => {
    for (const edit of edits) edit(f);
  };
/** A field that both states have besides the others. */
const withField =
  (declaration: string, schema: Json): Edit =>
  (f) => {
    specOf(f).more = schema;
    setProto(f, 'optional string plain = 12;', `optional string plain = 12; ${declaration}`);
  };
const columnsOf = (f: Parameters<Edit>[0]) => schemasOf(f).Toy['x-cluster-table'].columns;
const configOf = (f: Parameters<Edit>[0]) => f.openapi['config/v1'].components.schemas.Config;

const ofElements: readonly ViolationRow[] = [
  row(
    'a value of the elements of a list',
    ['CP115', '1', `${FIELD}.more value B`],
    (f) => specOf(f).more.items.enum.pop(),
    withField('repeated string more = 21;', list({ type: 'string', enum: ['A', 'B'] })),
  ),
  row(
    'a value of the members of a map',
    ['CP115', '1', `${FIELD}.more value B`],
    (f) => specOf(f).more.additionalProperties.enum.pop(),
    withField('map<string, string> more = 21;', {
      description: 'A map.',
      type: 'object',
      additionalProperties: { type: 'string', enum: ['A', 'B'] },
    }),
  ),
  row(
    'elements that must be shorter',
    ['CP119', '1', `${FIELD}.more`],
    (f) => (specOf(f).more['x-cluster-validations'] = [{ items: [{ maxLength: 9 }] }]),
    withField('repeated string more = 21;', { ...list({ type: 'string' }), 'x-cluster-validations': [{ items: [{ maxLength: 10 }] }] }),
  ),
  row(
    'elements that are longer at least, by a mark',
    ['CP119', '1', `${FIELD}.names`],
    (f) => (specOf(f).names['x-cluster-validations'] = [{ items: [{ minLength: 1 }] }]),
  ),
  row('a list of structs, of which one member is gone', ['CP110', '1', 'toys/v1 Part.count'], (f) => {
    delete schemasOf(f).Part.properties.count;
    setProto(f, 'optional int32 count = 2;', 'reserved 2;');
  }),
  row('a member of elements that is required', ['CP118', '1', 'toys/v1 Part.count'], (f) => schemasOf(f).Part.required.push('count')),
  row('a list whose elements are of another type', ['CP111', '1', `${FIELD}.names`], (f) => {
    specOf(f).names.items = { type: 'integer', format: 'int32' };
    setProto(f, 'repeated string names = 8;', 'repeated int32 names = 8;');
  }),
  row('a map of what were texts', ['CP111', '1', `${FIELD}.labels`], (f) => {
    specOf(f).labels.additionalProperties = { type: 'integer', format: 'int32' };
    setProto(f, 'map<string, string> labels = 7;', 'map<string, int32> labels = 7;');
  }),
  row('a map in place of a list', ['CP111', '1', `${FIELD}.names`], (f) => {
    specOf(f).names = { description: 'Names.', type: 'object', additionalProperties: { type: 'string' } };
    setProto(f, 'repeated string names = 8;', 'map<string, string> names = 8;');
  }),
  row('a text that is bytes', ['CP111', '1', `${FIELD}.plain`], (f) => {
    specOf(f).plain = { ...specOf(f).plain, format: 'byte' };
    setProto(f, 'optional string plain = 12;', 'optional bytes plain = 12;');
  }),
  row(
    'a smaller number',
    ['CP111', '1', `${FIELD}.more`],
    (f) => {
      specOf(f).more.format = 'int32';
      setProto(f, 'optional int64 more = 21;', 'optional int32 more = 21;');
    },
    withField('optional int64 more = 21;', { description: 'A number.', type: 'integer', format: 'int64', 'x-cluster-pointer': true }),
  ),
];

const ofTime: readonly ViolationRow[] = [
  row('a field that is said to have come later', ['CP110', '1', `${FIELD}.plain`], (f) => (specOf(f).plain['x-cluster-since'] = '1.33')),
  row(
    'a value that is said to have come later',
    ['CP115', '1', `${FIELD}.colour value Green`],
    (f) => (specOf(f).colour['x-cluster-enum-since'] = { Green: '1.33' }),
  ),
  row(
    'a subresource that ends with a release to come',
    ['CP104', '1', 'toys/v1 toys subresource status'],
    (f) => (toysOf(f).subresources[0].until = '1.34'),
  ),
  row('a column that ends with a release to come', ['CP109', '1', 'toys/v1 toys column Size'], (f) => (columnsOf(f)[2].until = '1.34')),
];

const ofMeaning: readonly ViolationRow[] = [
  row(
    'a default of another type',
    ['CP117', '1', `${FIELD}.size`],
    (f) => (specOf(f).size.default = 0),
    (f) => (specOf(f).size.minimum = 0),
  ),
  row(
    'a default that depends in place of one that does not',
    [
      ['CP117', '1', `${FIELD}.size`],
      ['CP117', '1', `${FIELD}.size`],
    ],
    (f) => {
      delete specOf(f).size.default;
      specOf(f).size['x-cluster-default-when'] = { when: { colour: 'Red' }, value: 3 };
    },
  ),
  row('no default that depends any more', ['CP117', '1', `${FIELD}.weight`], (f) => delete specOf(f).weight['x-cluster-default-when']),
  row(
    'a field that is required under a condition',
    ['CP119', '1', `${FIELD}`],
    (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ at: 'plain', required: true, when: { colour: 'Red' } }]),
  ),
  row(
    'a constraint of a stored value that counted for changes alone',
    ['CP119', '1', 'toys/v1 Owner'],
    (f) => (schemasOf(f).Owner['x-cluster-validations'] = [{ zeroOrOneOf: ['first', 'last'] }]),
    (f) => (schemasOf(f).Owner['x-cluster-validations'] = [{ zeroOrOneOf: ['first', 'last'], ratchet: true }]),
  ),
  row(
    'a pattern beside another one',
    ['CP119', '1', `${FIELD}.title`],
    (f) => (specOf(f).title['x-cluster-validations'] = [{ pattern: '^a' }]),
  ),
  row(
    'several limits at once',
    [
      ['CP119', '1', `${FIELD}.title`],
      ['CP119', '1', `${FIELD}.title`],
    ],
    (f) => Object.assign(specOf(f).title, { minLength: 3, maxLength: 5 }),
  ),
  row('fewer members of a map', ['CP119', '1', `${FIELD}.labels`], (f) => (specOf(f).labels.maxProperties = 3)),
  row('at least one element', ['CP119', '1', `${FIELD}.names`], (f) => (specOf(f).names.minItems = 1)),
  row('what was left out where it is zero is always written', [], (f) => (specOf(f).colour['x-cluster-always'] = true)),
];

const ofResources: readonly ViolationRow[] = [
  row('a kind of lists of another name', ['CP107', '1', 'toys/v1 ToyList'], (f) => {
    schemasOf(f).ToysList = { ...schemasOf(f).ToyList, 'x-cluster-lifecycle': { introduced: '1.33' } };
    delete schemasOf(f).ToyList;
    f.proto[V1] = (f.proto[V1] as string).replace('message ToyList', 'message ToysList');
  }),
  row(
    'the table as a whole',
    [
      ['CP109', '1', 'toys/v1 toys column Name'],
      ['CP109', '1', 'toys/v1 toys column Colour'],
      ['CP109', '1', 'toys/v1 toys column Size'],
      ['CP109', '1', 'toys/v1 toys column Title'],
    ],
    (f) => delete schemasOf(f).Toy['x-cluster-table'],
  ),
  row('a column that only wide output shows', ['CP109', '1', 'toys/v1 toys column Title'], (f) => columnsOf(f).pop()),
  row('all short names', ['CP105', '1', 'toys/v1 toys short name ty'], (f) => delete toysOf(f).shortNames),
  row(
    'list without watch, and get without list',
    [
      ['CP103', '1', 'toys/v1 toys verb list'],
      ['CP103', '1', 'toys/v1 toys verb watch'],
    ],
    (f) => (toysOf(f).verbs = ['create', 'delete', 'get', 'update']),
  ),
  row(
    'a cluster-wide resource that has namespaces',
    ['CP102', '1', 'toys/v1 toys scope'],
    (f) => (toysOf(f).scope = 'Namespaced'),
    (f) => (toysOf(f).scope = 'Cluster'),
  ),
  row(
    'a group of another name',
    [
      ...['Toy', 'ToyList'].flatMap((kind) => [V1, BETA].map((folder) => ['CP107', '1', `${folder} ${kind}`] as const)),
      ['CP410', '4b', 'toys toys storage'],
    ],
    (f) => {
      for (const folder of [V1, BETA, ALPHA]) {
        f.openapi[folder]['x-cluster-group-version'].group = 'play.${groupDomain}';
        const conversion = schemasOf(f, folder).Toy['x-cluster-conversion'];
        if (conversion !== undefined) conversion.to.group = 'play.${groupDomain}';
      }
    },
  ),
  row('objects that are stored under other keys', ['CP412', '4b', 'toys toys storage'], (f) => {
    for (const folder of [V1, BETA, ALPHA]) toysOf(f, folder).storage = { ...toysOf(f, folder).storage, prefix: 'playthings' };
  }),
];

const ofFiles: readonly ViolationRow[] = [
  row(
    'a value of a configuration',
    ['CP115', '1', 'config/v1 Config.level value b'],
    (f) => configOf(f).properties.level.enum.pop(),
    (f) => (configOf(f).properties.level.enum = ['a', 'b']),
  ),
  row('a default of a configuration', ['CP117', '1', 'config/v1 Config.level'], (f) => (configOf(f).properties.level.default = 'a')),
  row('a configuration whose version is gone', ['CP401', '4a', 'config/v1 Config'], (f) => delete f.openapi['config/v1']),
  row('a configuration of another version in place', ['CP401', '4a', 'config/v1 Config'], (f) => {
    f.openapi['config/v2'] = f.openapi['config/v1'];
    Object.assign(f.openapi['config/v2']['x-cluster-group-version'], { version: 'v2', package: 'test.config.v2' });
    configOf({ ...f, openapi: { 'config/v1': f.openapi['config/v2'] } })['x-cluster-lifecycle'] = { introduced: '1.33' };
    delete f.openapi['config/v1'];
  }),
];

const ofVersions: readonly ViolationRow[] = [
  row(
    '3: a beta version that a beta one replaces, and that goes first',
    ['CP303', '3', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta2', { deprecated: '1.33', removed: '1.36' }),
    both(dates({ '1.36': '2026-04-22', '1.37': '2026-08-26', '1.38': '2026-12-09' }), (f) => {
      addVersion(f, 'v2beta2', { introduced: '1.31' });
      addVersion(f, 'v2beta1', {
        introduced: '1.30',
        deprecated: '1.33',
        removed: '1.37',
        replacement: { group: GROUP, version: 'v2beta2', kind: 'Toy' },
      });
    }),
  ),
  row(
    '4a: a stable version that goes at once',
    ['CP401', '4a', 'toys/v1 Toy'],
    (f) => setLifecycle(f, V1, { deprecated: '1.33', removed: '1.33' }),
    (f) => addVersion(f, 'v2', { introduced: '1.32' }),
  ),
  row(
    '4a: a beta version that goes as soon as it is deprecated',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', removed: '1.33' }),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    '4a: a beta version nine months after its deprecation, in which two releases came',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => setLifecycle(f, 'toys/v2beta1', { removed: '1.33' }),
    both(dates({ '1.33': '2026-04-23', '1.34': '2026-08-27', '1.35': '2026-12-17' }), (f) =>
      addVersion(f, 'v2beta1', { introduced: '1.29', deprecated: '1.31' }),
    ),
  ),
  row(
    '4a: a beta version that is on in the release since which they are off',
    ['CP405', '4a', 'toys/v2beta1'],
    (f) => (f.openapi['toys/v2beta1']['x-cluster-group-version'].enabledByDefault = true),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.30', deprecated: '1.31' }),
  ),
  row(
    '4a: a beta version that came before they were off, and stays on for too long',
    ['CP403', '4a', 'toys/v1beta2 Toy'],
    () => {},
    (f) => {
      addVersion(f, 'v1beta2', { introduced: '1.21', deprecated: '1.31' });
      f.openapi['toys/v1beta2']['x-cluster-group-version'].enabledByDefault = true;
    },
  ),
  row(
    '4a: a removal of a release that is out, which is said to come later',
    [
      ['CP407', '4a', 'toys/v1beta2 Toy'],
      ['CP407', '4a', 'toys/v1beta2 ToyList'],
    ],
    (f) => setLifecycle(f, 'toys/v1beta2', { removed: '1.33' }),
    (f) => addVersion(f, 'v1beta2', { introduced: '1.27', deprecated: '1.29', removed: '1.32' }),
  ),
  row(
    '4a: a version that is called stable',
    ['CP402', '4a', 'toys/v2beta1 Toy'],
    (f) => {
      addVersion(f, 'v2', { introduced: '1.33' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
      setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', removed: '1.34' });
    },
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    '4b: a storage version that is beta, after a stable one',
    ['CP413', '4b', 'toys toys storage'],
    (f) => storeAs(f, 'v2beta1'),
    (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  ),
  row(
    '4b: a preferred version of the release that introduces it, while the storage waits',
    ['CP411', '4b', 'toys preferred version'],
    (f) => {
      addVersion(f, 'v3', { introduced: '1.33' });
    },
    (f) => {
      addVersion(f, 'v2', { introduced: '1.31' });
      storeAs(f, 'v2');
    },
  ),
];

const ofFlags: readonly ViolationRow[] = [
  row(
    '5a: a beta flag of users that is not deprecated',
    ['CP501', '5a', 'flag said'],
    withoutFlag('said'),
    flag('said', { stability: 'beta' }),
  ),
  row(
    '5a: a flag of users two releases after its deprecation, which follow fast',
    ['CP501', '5a', 'flag said-old'],
    withoutFlag('said-old'),
    dates({ '1.33': '2025-02-23' }),
  ),
  row(
    '5a: a flag of users a year after its deprecation, in which one release came',
    ['CP501', '5a', 'flag said-old'],
    withoutFlag('said-old'),
    both(
      flag('said-old', { deprecated: { release: '1.32', warning: 'use --said' } }),
      dates({ '1.33': '2026-01-23', '1.34': '2026-08-27', '1.35': '2026-12-17' }),
    ),
  ),
  row(
    '5b: a flag a release after its deprecation, five months later',
    ['CP501', '5b', 'flag recent'],
    withoutFlag('recent'),
    dates({ '1.33': '2025-05-10' }),
  ),
  row(
    '5b: a flag that goes in the release that deprecates it',
    ['CP501', '5b', 'flag level'],
    withoutFlag('level'),
    flag('level', { deprecated: { release: '1.33', warning: 'use --mode' } }),
  ),
  row(
    '5b: a beta flag two months after its deprecation',
    ['CP501', '5b', 'flag trial'],
    withoutFlag('trial'),
    both(flag('trial', { deprecated: { release: '1.32', warning: 'x' } }), dates({ '1.33': '2025-02-10' })),
  ),
  row('5a: a value of users', ['CP502', '5a', 'flag said values'], flag('said', { values: ['a'] })),
  row(
    '5b: limits of durations that are narrower',
    [
      ['CP502', '5b', 'flag wait minimum'],
      ['CP502', '5b', 'flag wait maximum'],
    ],
    flag('wait', { minimum: '1500ms', maximum: '1m' }),
    (f) =>
      setTable(f, 'flags', (table) =>
        table.flags.push({
          ...flagNamed(table, 'level'),
          name: 'wait',
          short: undefined,
          type: 'duration',
          minimum: '1s',
          maximum: '1m30s',
          default: '2s',
        }),
      ),
  ),
  row(
    '5b: keys that need a value',
    ['CP502', '5b', 'flag any-mode keys without a value'],
    flag('any-mode', { bareKeys: undefined }),
    flag('any-mode', { type: 'map', bareKeys: true }),
  ),
  row(
    '5a: a flag of users that is one of administrators',
    ['CP505', '5a', 'flag said audience'],
    flag('said', { audience: 'administrators' }),
  ),
  row(
    '5c: a beta flag whose replacement is alpha',
    ['CP503', '5c', 'flag trial'],
    flag('trial', { deprecated: { release: '1.33', warning: 'use --dream', replacement: 'dream' } }),
  ),
  row(
    '6: a deprecated beta flag that says nothing',
    ['CP601', '6', 'flag trial'],
    flag('trial', { deprecated: { release: '1.33', replacement: 'level' } }),
  ),
  row('7: no default any more', ['CP702', '7', 'flag level default'], flag('level', { default: undefined })),
  row(
    '7: a default that was announced eleven months ago',
    ['CP702', '7', 'flag mode default'],
    flag('mode', { default: 'fast' }),
    both((f) => setTable(f, 'behaviours', (table) => (table.playsAtNight.deprecated = '1.30')), dates({ '1.33': '2025-03-16' })),
  ),
];

const ofGates: readonly ViolationRow[] = [
  row(
    '9: a GA gate two releases later, which follow fast',
    ['CP901', '9', 'feature gate ToyGa'],
    (f) => delete f.featureGates.ToyGa,
    both((f) => (f.featureGates.ToyGa[1].release = '1.31'), dates({ '1.31': '2024-11-13', '1.33': '2025-04-23' })),
  ),
  row(
    '9: a GA gate eight months later, in which one release came',
    ['CP901', '9', 'feature gate ToyGa'],
    (f) => delete f.featureGates.ToyGa,
    dates({ '1.33': '2025-08-23' }),
  ),
  row(
    '9: a beta gate that is deprecated and goes at once',
    ['CP901', '9', 'feature gate ToyEnding'],
    (f) => delete f.featureGates.ToyEnding,
    (f) => (f.featureGates.ToyEnding[1].release = '1.33'),
  ),
  row(
    '9: an alpha stage after a beta one',
    ['CP902', '9', 'feature gate ToyEnding'],
    (f) =>
      (f.featureGates.ToyEnding = [
        { release: '1.28', stage: 'Beta', default: true },
        { release: '1.33', stage: 'Alpha', default: false },
      ]),
    (f) => (f.featureGates.ToyEnding = [{ release: '1.28', stage: 'Beta', default: true }]),
  ),
  row(
    '10: a GA gate without a lock in the last release',
    ['CP1001', '10', 'feature gate ToyGa'],
    (f) => delete f.featureGates.ToyGa[1].locked,
    (f) => (f.featureGates.ToyGa[1].release = '1.33'),
  ),
];

const ofMetrics: readonly ViolationRow[] = [
  row('11a: a metric of another name', [['CP1101', '11b', 'metric toys_total']], (f) =>
    setTable(f, 'metrics', (table) => {
      table.toys_count = table.toys_total;
      delete table.toys_total;
    }),
  ),
  row(
    '11a: a label of another name',
    [
      ['CP1102', '11a', 'metric toys_total label colour'],
      ['CP1102', '11a', 'metric toys_total label color'],
    ],
    metric('toys_total', { labels: ['color'] }),
  ),
  row('11a: a beta metric of another type', ['CP1102', '11a', 'metric toys_beta_total type'], metric('toys_beta_total', { type: 'gauge' })),
  row(
    '11a: a beta metric that is alpha',
    ['CP1103', '11a', 'metric toys_beta_total'],
    metric('toys_beta_total', { stability: 'ALPHA', since: undefined }),
  ),
  row(
    '11a: a metric that is said to have been stable for longer',
    ['CP1106', '11a', 'metric toys_beta_young_total'],
    metric('toys_beta_young_total', { since: '1.20' }),
  ),
  row(
    '11b: a stable metric that is deprecated and goes at once',
    ['CP1101', '11b', 'metric toys_total'],
    withoutMetric('toys_total'),
    metric('toys_total', { deprecated: '1.33' }),
  ),
  row(
    '11b: a beta metric that is deprecated and goes at once',
    ['CP1101', '11b', 'metric toys_beta_total'],
    withoutMetric('toys_beta_total'),
    metric('toys_beta_total', { deprecated: '1.33' }),
  ),
];

const ofBehaviours: readonly ViolationRow[] = [
  row('8: a stable behaviour that a beta one replaces', ['CP801', '8', 'behaviour playsAloud'], (f) =>
    setTable(f, 'behaviours', (table) => {
      table.playsSoftly = { description: 'Toys play softly.', stability: 'beta' };
      Object.assign(table.playsAloud, { deprecated: '1.33', replacement: 'playsSoftly' });
    }),
  ),
  row('7: a behaviour that was announced two releases ago', ['CP701', '7', 'behaviour playsAlone'], (f) =>
    setTable(f, 'behaviours', (table) => delete table.playsAlone),
  ),
];

export const variantsOfViolations: readonly ViolationRow[] = [
  ...ofElements,
  ...ofTime,
  ...ofMeaning,
  ...ofResources,
  ...ofFiles,
  ...ofVersions,
  ...ofFlags,
  ...ofGates,
  ...ofMetrics,
  ...ofBehaviours,
];

interface AllowedRow {
  readonly name: string;
  readonly edit: Edit;
  readonly earlier?: Edit;
}

const reversed = (object: Json): Json => Object.fromEntries(Object.entries(object).reverse());

export const allowedVariants: readonly AllowedRow[] = [
  {
    name: 'another order of fields, verbs, values, names and messages',
    edit: (f) => {
      schemasOf(f).ToySpec.properties = reversed(schemasOf(f).ToySpec.properties);
      f.openapi[V1].components.schemas = reversed(schemasOf(f));
      toysOf(f).verbs.reverse();
      specOf(f).colour.enum.reverse();
      toysOf(f).subresources.reverse();
    },
  },
  { name: 'reservations in one range', edit: (f) => setProto(f, 'reserved 13, 14, 15 to 20;', 'reserved 13 to 20;') },
  { name: 'more reservations', edit: (f) => setProto(f, 'reserved 13, 14, 15 to 20;', 'reserved 13 to 25;') },
  {
    name: 'an explicit list type that says what was',
    edit: (f) => (specOf(f).more['x-kubernetes-list-type'] = 'atomic'),
    earlier: withField('repeated string more = 21;', list({ type: 'string' })),
  },
  { name: 'an explicit map type that says what was', edit: (f) => (schemasOf(f).Part['x-kubernetes-map-type'] = 'granular') },
  {
    name: 'a limit in the other form',
    edit: (f) => {
      delete specOf(f).names.maxItems;
      specOf(f).names['x-cluster-validations'] = [{ maxItems: 4 }];
    },
  },
  {
    name: 'a greater limit, in the other form',
    edit: (f) => {
      delete specOf(f).names.maxItems;
      specOf(f).names['x-cluster-validations'] = [{ maxItems: 5 }];
    },
  },
  {
    name: 'a field that came back under its number',
    edit: (f) => {
      Object.assign(specOf(f), { gone: text({ 'x-cluster-feature-gate': 'ToyParts' }) });
      setProto(f, 'reserved 13, 14, 15 to 20;', 'reserved 13 to 19;');
      setProto(f, 'optional string plain = 12;', 'optional string plain = 12; optional string gone = 20;');
    },
  },
  {
    name: 'a kind that shares its type with another version',
    edit: (f) => (schemasOf(f, BETA).Part = { $ref: '../v1/openapi.yaml#/components/schemas/Part' }),
  },
  {
    name: 'a struct of its own in place of a shared one',
    edit: (f) => {
      schemasOf(f).Box = structuredClone(schemasOf(f).Part);
      setProto(f, 'message Part', 'message Box { optional string name = 1; optional int32 count = 2; }\n\nmessage Part');
      specOf(f).more.items = own('Box');
      setProto(f, 'repeated Part more = 21;', 'repeated Box more = 21;');
    },
    earlier: withField('repeated Part more = 21;', { ...list(own('Part')), 'x-kubernetes-list-type': 'atomic' }),
  },
  {
    name: 'a default of a field without which objects were refused',
    edit: (f) => {
      delete specOf(f).plain['x-cluster-required'];
      specOf(f).plain.default = 'a';
    },
    earlier: (f) => (specOf(f).plain['x-cluster-required'] = true),
  },
  {
    name: 'an open set of values where all texts were taken',
    edit: (f) => Object.assign(specOf(f).plain, { enum: ['A'], 'x-cluster-open': true }),
  },
  {
    name: 'a longer text, and no pattern',
    edit: (f) => {
      specOf(f).title.maxLength = 21;
      delete specOf(f).title.pattern;
    },
  },
  {
    name: 'a constraint of a new member of elements',
    edit: (f) => {
      schemasOf(f).Part.properties.size = {
        description: 'A size.',
        type: 'integer',
        format: 'int32',
        minimum: 1,
        maximum: 5,
        'x-cluster-pointer': true,
      };
      setProto(f, 'optional int32 count = 2;', 'optional int32 count = 2; optional int32 size = 3;');
    },
  },
  {
    name: 'a new struct whose members are required',
    edit: (f) => {
      schemasOf(f).Lid = struct({ name: text() }, ['name']);
      setProto(f, 'message Part', 'message Lid { optional string name = 1; }\n\nmessage Part');
      specOf(f).lid = { ...own('Lid'), 'x-cluster-pointer': true };
      setProto(f, 'optional string plain = 12;', 'optional string plain = 12; optional Lid lid = 21;');
    },
  },
  {
    name: 'other words in descriptions, examples and columns',
    edit: (f) => {
      specOf(f).plain.description = 'Other words.';
      schemasOf(f).Part.description = 'Others.';
      columnsOf(f)[1].description = 'Other words.';
    },
  },
  { name: 'a column of another path', edit: (f) => (columnsOf(f)[1].path = '.spec.mode') },
  {
    name: 'an immutable field that may change',
    edit: (f) => delete specOf(f).plain['x-cluster-immutable'],
    earlier: (f) => (specOf(f).plain['x-cluster-immutable'] = true),
  },
  {
    name: 'elements that need not differ',
    edit: (f) => delete specOf(f).names['x-cluster-unique'],
    earlier: (f) => (specOf(f).names['x-cluster-unique'] = true),
  },
  { name: 'a gate that is GA takes the place of none', edit: (f) => (specOf(f).plain['x-cluster-feature-gate'] = 'ToyGa') },
  {
    name: 'a group with a version of each kind',
    edit: (f) => {
      addVersion(f, 'v3alpha1', { introduced: '1.33' });
      addVersion(f, 'v3beta1', { introduced: '1.33' });
    },
  },
  {
    name: 'another group',
    edit: (f) => {
      f.openapi['dolls/v1alpha1'] = { ...structuredClone(f.openapi['config/v1']) };
      Object.assign(f.openapi['dolls/v1alpha1']['x-cluster-group-version'], {
        group: 'dolls.example',
        version: 'v1alpha1',
        package: 'test.dolls.v1alpha1',
      });
      f.openapi['dolls/v1alpha1'].components.schemas.Config['x-cluster-lifecycle'] = { introduced: '1.33' };
    },
  },
  {
    name: '3: a beta version that another beta one replaces',
    edit: (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', replacement: { group: GROUP, version: 'v2beta2', kind: 'Toy' } }),
    earlier: (f) => {
      addVersion(f, 'v2beta1', { introduced: '1.31' });
      addVersion(f, 'v2beta2', { introduced: '1.32' });
    },
  },
  {
    name: '3: a beta version and the stable one that replaces it come in one release',
    edit: (f) => {
      addVersion(f, 'v2', { introduced: '1.33' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
      setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33', replacement: { group: GROUP, version: 'v2', kind: 'Toy' } });
    },
    earlier: (f) => addVersion(f, 'v2beta1', { introduced: '1.31' }),
  },
  {
    name: '4a: a stable version in a release of another major version',
    edit: (f) => setLifecycle(f, V1, { deprecated: '1.33', removed: '2.0' }),
    earlier: both((f) => addVersion(f, 'v2', { introduced: '1.32' }), dates({ '2.0': '2027-01-01' })),
  },
  {
    name: '4a: a beta version in the release in which its time ends',
    edit: (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33' }),
    earlier: (f) => addVersion(f, 'v2beta1', { introduced: '1.30' }),
  },
  {
    name: '4a: a beta version that is deprecated nine months later, in which many releases came',
    edit: (f) => setLifecycle(f, 'toys/v2beta1', { deprecated: '1.33' }),
    earlier: both(
      dates({ '1.29': '2024-08-01', '1.30': '2024-09-01', '1.31': '2024-10-01', '1.32': '2024-12-11', '1.33': '2025-04-23' }),
      (f) => addVersion(f, 'v2beta1', { introduced: '1.29' }),
      (f) => replaceLifecycle(f, BETA, { introduced: '1.28', deprecated: '1.31' }),
    ),
  },
  {
    name: '4a: an alpha version that is deprecated, and one that is not, go',
    edit: (f) => {
      setLifecycle(f, ALPHA, { removed: '1.33' });
      setLifecycle(f, 'toys/v2alpha1', { removed: '1.33' });
    },
    earlier: (f) => addVersion(f, 'v2alpha1', { introduced: '1.31', deprecated: '1.32' }),
  },
  {
    name: '4b: storage moves two releases after the version came',
    edit: (f) => {
      storeAs(f, 'v2');
      delete f.openapi['toys/v2']['x-cluster-group-version'].versionPriority;
    },
    earlier: (f) => {
      addVersion(f, 'v2', { introduced: '1.31' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
    },
  },
  { name: '5a: an alpha flag of users', edit: withoutFlag('said'), earlier: flag('said', { stability: 'alpha' }) },
  {
    name: '5a: a beta flag of users three months after its deprecation',
    edit: withoutFlag('said-old'),
    earlier: flag('said-old', { stability: 'beta', deprecated: { release: '1.32', warning: 'x' } }),
  },
  {
    name: '5a: a flag of users a year and two releases after its deprecation',
    edit: withoutFlag('said-old'),
    earlier: dates({ '1.33': '2025-08-13' }),
  },
  { name: '5b: a flag six months to the day after its deprecation', edit: withoutFlag('recent'), earlier: dates({ '1.33': '2025-06-11' }) },
  { name: '5b: a flag that is more stable', edit: flag('trial', { stability: 'stable' }) },
  {
    name: '5c: a flag whose replacement is as stable',
    edit: flag('trial', { deprecated: { release: '1.33', warning: 'use --level', replacement: 'level' } }),
  },
  { name: '5: a flag of administrators that users have too', edit: flag('level', { audience: 'users' }) },
  {
    name: '5b: limits of durations that are wider',
    edit: flag('wait', { minimum: '500ms', maximum: '2m' }),
    earlier: (f) =>
      setTable(f, 'flags', (table) =>
        table.flags.push({
          ...flagNamed(table, 'level'),
          name: 'wait',
          short: undefined,
          type: 'duration',
          minimum: '1s',
          maximum: '1m30s',
          default: '2s',
        }),
      ),
  },
  {
    name: '6: other words of a warning',
    edit: flag('old', { deprecated: { release: '1.30', warning: 'use --mode, which is better', replacement: 'mode' } }),
  },
  { name: '7: a behaviour that is announced', edit: (f) => setTable(f, 'behaviours', (table) => (table.playsAloud.deprecated = '1.33')) },
  {
    name: '7: a behaviour that is new',
    edit: (f) => setTable(f, 'behaviours', (table) => (table.playsSoftly = { description: 'Toys play softly.' })),
  },
  {
    name: '7: a default that was announced a year ago to the day',
    edit: flag('mode', { default: 'fast' }),
    earlier: both((f) => setTable(f, 'behaviours', (table) => (table.playsAtNight.deprecated = '1.30')), dates({ '1.33': '2025-04-17' })),
  },
  {
    name: '8: a behaviour that is more stable',
    edit: (f) => setTable(f, 'behaviours', (table) => (table.playsBackwards.stability = 'beta')),
  },
  {
    name: '9: an alpha gate that is beta and on, and one that is gone',
    edit: (f) => {
      f.featureGates.ToyParts.push({ release: '1.33', stage: 'Beta', default: true });
      delete f.featureGates.ToyTried;
    },
  },
  {
    name: '9: a beta gate that is off, of nothing',
    edit: (f) =>
      f.featureGates.ToyEndingLate.splice(
        0,
        2,
        { release: '1.28', stage: 'Beta', default: true },
        { release: '1.33', stage: 'Beta', default: false },
      ),
  },
  {
    name: '9: an alpha gate that is deprecated',
    edit: (f) => f.featureGates.ToyYoung.push({ release: '1.33', stage: 'Deprecated', default: false }),
    earlier: (f) => (f.featureGates.ToyYoung = [{ release: '1.31', stage: 'Alpha', default: false }]),
  },
  {
    name: '9: a GA gate six months and two releases later',
    edit: (f) => delete f.featureGates.ToyGa,
    earlier: (f) => (f.featureGates.ToyGa[1].release = '1.31'),
  },
  {
    name: '10: a gate that is locked when it is deprecated',
    edit: (f) => f.featureGates.ToyEnding.push({ release: '1.33', stage: 'Deprecated', default: false, locked: true }),
  },
  {
    name: '11a: a bucket of a beta histogram',
    edit: metric('toys_seconds', { buckets: [1, 2, 3] }),
    earlier: metric('toys_seconds', { stability: 'BETA' }),
  },
  {
    name: '11a: other words, and a metric that is new',
    edit: both(metric('toys_total', { help: 'Others.' }), (f) =>
      setTable(f, 'metrics', (table) => (table.toys_fresh = { type: 'gauge', stability: 'ALPHA', help: 'Fresh.' })),
    ),
  },
  { name: '11a: an alpha metric that is stable', edit: metric('toys_alpha', { stability: 'STABLE', since: '1.33' }) },
  { name: '11b: a deprecation that is taken back', edit: metric('toys_going_total', { deprecated: undefined }) },
];
