/** Changes that the policy allows raise nothing, and are told as allowed where they would be violations of something more stable. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AllowedChange } from '../../../codegen/policy/finding.ts';
import { text } from '../tree.ts';
import { addVersion, storeAs } from './cases/lifecycle-violations.ts';
import {
  ALPHA,
  BETA,
  type Edit,
  flagNamed,
  lifecycleOf,
  messagesOf,
  outcomeOf,
  removeField,
  schemasOf,
  setProto,
  setTable,
  specOf,
  toysOf,
  V1,
} from './states.ts';

interface Row {
  readonly name: string;
  readonly edit: Edit;
  readonly earlier?: Edit;
  /** elements that are told as allowed, with why */
  readonly told?: readonly (readonly [element: string, why: AllowedChange['why']])[];
}

const LAST = 'optional string plain = 12;';
const addField =
  (declaration: string, schema: object): Edit =>
  (f) => {
    specOf(f).fresh = schema;
    setProto(f, LAST, `${LAST} ${declaration}`);
  };
const setLifecycle = (f: Parameters<Edit>[0], folder: string, lifecycle: object): void => {
  for (const name of ['Toy', 'ToyList']) Object.assign(lifecycleOf(f, folder, name), lifecycle);
};
const columnsOf = (f: Parameters<Edit>[0]) => schemasOf(f).Toy['x-cluster-table'].columns;

const additions: readonly Row[] = [
  { name: 'nothing at all', edit: () => {} },
  { name: 'a field', edit: addField('optional string fresh = 21;', text({ 'x-cluster-pointer': true })) },
  {
    name: 'a field of a release to come',
    edit: addField('optional string fresh = 21;', text({ 'x-cluster-pointer': true, 'x-cluster-since': '1.34' })),
  },
  {
    name: 'a field with a default and constraints',
    edit: addField('optional string fresh = 21;', text({ 'x-cluster-pointer': true, default: 'a', minLength: 1, enum: ['a', 'b'] })),
  },
  {
    name: 'a required field with a default',
    edit: (f) => {
      addField('optional string fresh = 21;', text({ default: 'a' }))(f);
      schemasOf(f).ToySpec.required.push('fresh');
    },
  },
  {
    name: 'a struct with required members',
    edit: (f) => {
      schemasOf(f).Box = { ...schemasOf(f).Part };
      setProto(f, 'message Part', 'message Box { optional string name = 1; optional int32 count = 2; }\n\nmessage Part');
      addField('optional Box fresh = 21;', {
        description: 'A box.',
        allOf: [{ $ref: '#/components/schemas/Box' }],
        'x-cluster-pointer': true,
      })(f);
    },
  },
  {
    name: 'a member of a union',
    edit: (f) => {
      schemasOf(f).Owner.properties.middle = text();
      schemasOf(f).Owner['x-cluster-validations'] = [{ zeroOrOneOf: ['first', 'last'] }, { zeroOrOneOf: ['first', 'middle'] }];
      setProto(f, 'optional string last = 2;', 'optional string last = 2; optional string middle = 3;');
    },
  },
  {
    name: 'what holds with a gate that is off',
    edit: (f) => {
      specOf(f).plain['x-cluster-validations'] = [{ minLength: 2, gate: 'ToyParts' }];
    },
  },
  {
    name: 'a constraint without the gate that it was behind, which is on',
    earlier: (f) => (specOf(f).plain['x-cluster-validations'] = [{ minLength: 2, gate: 'ToyTints' }]),
    edit: (f) => {
      specOf(f).plain['x-cluster-validations'] = [{ minLength: 2 }];
    },
  },
  {
    name: 'a constraint that holds in the place of one behind a gate that is off',
    earlier: (f) => (specOf(f).plain['x-cluster-validations'] = [{ minLength: 2 }]),
    edit: (f) => {
      specOf(f).plain['x-cluster-validations'] = [{ gate: 'ToyParts', all: [{ minLength: 3 }], else: [{ minLength: 2 }] }];
    },
  },
  {
    name: 'a constraint that goes with a gate that is turned on',
    earlier: (f) => {
      f.featureGates.ToyRelaxed = [{ release: '1.32', stage: 'Alpha', default: false }];
      specOf(f).plain['x-cluster-validations'] = [{ minLength: 2, gate: '!ToyRelaxed' }];
    },
    edit: (f) => f.featureGates.ToyRelaxed.push({ release: '1.33', stage: 'Beta', default: true }),
  },
  {
    name: 'a new member that must be set, with a default',
    edit: (f) => {
      addField('optional string fresh = 21;', text({ default: 'a' }))(f);
      schemasOf(f).ToySpec['x-cluster-validations'] = [{ at: 'fresh', required: true }];
    },
  },
  {
    name: 'one more member of which one is set',
    earlier: (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ oneOf: ['plain', 'tint'] }, { zeroOrOneOf: ['colour', 'mode'] }]),
    edit: (f) => {
      addField('optional string fresh = 21;', text({ 'x-cluster-pointer': true }))(f);
      schemasOf(f).ToySpec['x-cluster-validations'] = [{ oneOf: ['plain', 'tint', 'fresh'] }, { zeroOrOneOf: ['colour', 'mode', 'fresh'] }];
    },
  },
  {
    name: 'members that go with each other',
    earlier: (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ zeroOrOneOf: ['plain', 'tint', 'mode'] }]),
    edit: (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ zeroOrOneOf: ['plain', 'tint'] }]),
  },
  {
    name: 'a new number that may not be zero, where it is set',
    edit: addField('optional int32 fresh = 21;', {
      description: 'A number.',
      type: 'integer',
      format: 'int32',
      minimum: 1,
      'x-cluster-pointer': true,
    }),
  },
  {
    name: 'a flag, a metric, a behaviour and a gate that go as soon as they come',
    edit: (f) => {
      setTable(f, 'flags', (table) =>
        table.flags.push({
          name: 'fresh',
          group: 'general',
          type: 'string',
          status: 'effective',
          help: 'Fresh.',
          deprecated: { release: '1.33', warning: 'use --mode' },
        }),
      );
      setTable(
        f,
        'metrics',
        (table) => (table.toys_new_total = { type: 'counter', stability: 'STABLE', since: '1.33', help: 'Toys.', deprecated: '1.33' }),
      );
      setTable(f, 'behaviours', (table) => (table.playsFast = { description: 'Toys play fast.', deprecated: '1.33' }));
      f.featureGates.ToyNew = [{ release: '1.33', stage: 'Deprecated', default: false }];
    },
  },
  {
    name: 'a default for older versions, of a new member',
    edit: (f) => {
      addField('optional string fresh = 21;', text({ 'x-cluster-pointer': true }))(f);
      schemasOf(f, BETA).Toy['x-cluster-conversion'].steps.push({ op: 'default', path: 'spec.fresh', value: 'a' });
    },
  },
  {
    name: 'a constraint of new members alone',
    edit: (f) => {
      addField('optional string fresh = 21;', text({ 'x-cluster-pointer': true }))(f);
      schemasOf(f).ToySpec['x-cluster-validations'] = [
        { at: 'fresh', minLength: 2 },
        { at: 'plain', required: true, when: { fresh: 'a' } },
      ];
    },
  },
  {
    name: 'a default where a new member is set',
    edit: (f) => {
      addField('optional string fresh = 21;', text({ 'x-cluster-pointer': true }))(f);
      specOf(f).plain['x-cluster-default-when'] = { when: { fresh: 'a' }, value: 'b' };
    },
  },
  { name: 'a value', edit: (f) => specOf(f).colour.enum.push('Blue') },
  {
    name: 'a value of a release to come',
    edit: (f) => {
      specOf(f).colour.enum.push('Blue');
      specOf(f).colour['x-cluster-enum-since'] = { Blue: '1.34' };
    },
  },
  {
    name: 'a verb, a subresource, a short name, a category, a selectable field',
    edit: (f) => {
      Object.assign(toysOf(f), {
        verbs: [...toysOf(f).verbs, 'patch'],
        shortNames: ['t', 'ty'],
        categories: ['all', 'play'],
        selectableFields: ['spec.mode', 'spec.colour'],
      });
      toysOf(f).subresources.push({ name: 'box', kind: 'Toy', verbs: ['get'], handler: 'pods/log' });
    },
  },
  { name: 'a column behind the others', edit: (f) => columnsOf(f).splice(3, 0, { name: 'Mode', path: '.spec.mode' }) },
  {
    name: 'a wide column in the end, and one that is shown always',
    edit: (f) => {
      columnsOf(f).push({ name: 'Mode', path: '.spec.mode', priority: 1 });
      delete columnsOf(f)[3].priority;
    },
  },
  {
    name: 'a resource and a kind',
    edit: (f) => {
      schemasOf(f).Doll = {
        ...schemasOf(f).Part,
        'x-cluster-kind': true,
        'x-cluster-lifecycle': { introduced: '1.33' },
        'x-cluster-protobuf': false,
      };
      f.openapi[V1]['x-cluster-resources'].push({
        name: 'dolls',
        kind: 'Doll',
        singular: 'doll',
        scope: 'Cluster',
        verbs: ['create'],
        handler: 'pods/log',
      });
    },
  },
  { name: 'reserved numbers and names', edit: (f) => setProto(f, 'reserved "former";', 'reserved "former", "latter"; reserved 30 to 40;') },
];

const looser: readonly Row[] = [
  {
    name: 'wider limits',
    edit: (f) => {
      Object.assign(specOf(f).size, { minimum: 0, maximum: 10 });
      Object.assign(specOf(f).title, { minLength: 0, maxLength: 30 });
      specOf(f).names.maxItems = 5;
    },
  },
  {
    name: 'fewer constraints',
    edit: (f) => {
      delete specOf(f).title.pattern;
      delete specOf(f).size.maximum;
      delete specOf(f).names.maxItems;
      schemasOf(f).Owner['x-cluster-validations'] = [];
    },
  },
  {
    name: 'a constraint in other words',
    edit: (f) => (schemasOf(f).Owner['x-cluster-validations'] = [{ zeroOrOneOf: ['first', 'last'], message: 'choose one' }]),
  },
  {
    name: 'a constraint that spares what is stored',
    edit: (f) => (schemasOf(f).Owner['x-cluster-validations'] = [{ zeroOrOneOf: ['first', 'last'], ratchet: true }]),
  },
  { name: 'an open set', edit: (f) => (specOf(f).colour['x-cluster-open'] = true) },
  { name: 'any text', edit: (f) => delete specOf(f).colour.enum },
  { name: 'a field that may be absent', edit: (f) => delete schemasOf(f).ToySpec.required },
  { name: 'absent and zero are told apart', edit: (f) => (specOf(f).mode['x-cluster-pointer'] = true) },
  { name: 'a field without its gate', edit: (f) => delete specOf(f).tint['x-cluster-feature-gate'] },
  { name: 'a gate that is turned on', edit: (f) => f.featureGates.ToyParts.push({ release: '1.33', stage: 'Beta', default: true }) },
  { name: 'names of more forms', edit: (f) => (toysOf(f).nameFormat = 'pathSegment') },
  { name: 'another description', edit: (f) => (specOf(f).plain.description = 'Something else.') },
  {
    name: 'a type of another name and the same form',
    edit: (f) => {
      schemasOf(f).Holder = schemasOf(f).Owner;
      delete schemasOf(f).Owner;
      specOf(f).owner.allOf[0].$ref = '#/components/schemas/Holder';
      f.proto[V1] = (f.proto[V1] as string).replaceAll('Owner', 'Holder');
    },
  },
  {
    name: 'a gap that an atomic list states',
    edit: (f) => Object.assign(specOf(f), { names: { ...specOf(f).names, 'x-kubernetes-list-type': 'set' } }),
  },
];

const alpha: readonly Row[] = [
  {
    name: 'a field of an alpha version',
    edit: (f) => removeField(f, 'weight', 'optional int32 weight = 4;', ALPHA),
    told: [['toys/v1alpha1 ToySpec.weight', 'alpha']],
  },
  {
    name: 'all that an alpha version has',
    edit: (f) => {
      specOf(f, ALPHA).colour.enum = ['Blue'];
      specOf(f, ALPHA).size.default = 9;
      Object.assign(toysOf(f, ALPHA), { scope: 'Cluster', verbs: ['get'], shortNames: [] });
    },
    told: [
      ['toys/v1alpha1 ToySpec.colour value Red', 'alpha'],
      ['toys/v1alpha1 ToySpec.size', 'alpha'],
      ['toys/v1alpha1 toys scope', 'alpha'],
      ['toys/v1alpha1 toys verb watch', 'alpha'],
    ],
  },
  {
    name: 'an alpha version that is removed',
    edit: (f) => setLifecycle(f, ALPHA, { removed: '1.33' }),
    told: [['toys/v1alpha1 Toy', 'alpha']],
  },
  {
    name: 'an alpha version whose schemas are gone',
    edit: (f) => {
      delete f.openapi[ALPHA];
      delete f.proto[ALPHA];
    },
    told: [['toys/v1alpha1 Toy', 'alpha']],
  },
  {
    name: 'a field behind an alpha gate',
    edit: (f) => removeField(f, 'tried', 'optional string tried = 10;'),
    told: [['toys/v1 ToySpec.tried', 'alpha']],
  },
  {
    name: 'values of a field behind an alpha gate',
    edit: (f) => (specOf(f).tried.enum = ['B']),
    told: [['toys/v1 ToySpec.tried value A', 'alpha']],
  },
  {
    name: 'a subresource behind an alpha gate',
    edit: (f) => toysOf(f).subresources.pop(),
    told: [['toys/v1 toys subresource parts', 'alpha']],
  },
];

const versions: readonly Row[] = [
  {
    name: 'a beta version three releases after its deprecation',
    edit: (f) => setLifecycle(f, BETA, { removed: '1.33' }),
    told: [['toys/v1beta1 Toy', 'removed in time']],
  },
  {
    name: 'a beta version that shall go in time',
    edit: (f) => setLifecycle(f, BETA, { removed: '1.34' }),
    told: [['toys/v1beta1 Toy', 'removed in time']],
  },
  { name: 'a beta version, off by default', edit: (f) => addVersion(f, 'v2beta1', { introduced: '1.33' }) },
  {
    name: 'a stable version that is not preferred yet',
    edit: (f) => {
      addVersion(f, 'v2', { introduced: '1.33' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
    },
  },
  { name: 'a stable version of a release to come', edit: (f) => addVersion(f, 'v2', { introduced: '1.34' }) },
  {
    name: 'a stable version that is deprecated for another',
    edit: (f) => setLifecycle(f, V1, { deprecated: '1.33' }),
    earlier: (f) => addVersion(f, 'v2', { introduced: '1.32' }),
  },
  {
    name: 'a stable version that nothing replaces',
    edit: (f) => (f.openapi['config/v1'].components.schemas.Config['x-cluster-lifecycle'].deprecated = '1.33'),
  },
  {
    name: 'a storage and a preferred version a release after it came',
    edit: (f) => {
      storeAs(f, 'v2');
      delete f.openapi['toys/v2']['x-cluster-group-version'].versionPriority;
    },
    earlier: (f) => {
      addVersion(f, 'v2', { introduced: '1.32' });
      f.openapi['toys/v2']['x-cluster-group-version'].versionPriority = 1;
    },
  },
  {
    name: 'a deprecation that is taken back',
    edit: (f) => {
      for (const name of ['Toy', 'ToyList']) delete lifecycleOf(f, 'toys/v2', name).deprecated;
    },
    earlier: (f) => addVersion(f, 'v2', { introduced: '1.29', deprecated: '1.31' }),
  },
  {
    name: 'a version that was gone by then and is told of now',
    edit: (f) => addVersion(f, 'v1alpha2', { introduced: '1.26', removed: '1.28' }),
    told: [['toys/v1alpha2 Toy', 'alpha']],
  },
  {
    name: 'a release that is added, and another date of one to come',
    edit: (f) => Object.assign(f.releases.releases, { '1.35': '2026-01-07', '1.36': '2026-04-22' }),
  },
];

const editFlag =
  (name: string, change: object): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => Object.assign(flagNamed(table, name), change));
const withoutFlag =
  (name: string): Edit =>
  (f) =>
    setTable(f, 'flags', (table) => table.flags.splice(table.flags.indexOf(flagNamed(table, name)), 1));

const tables: readonly Row[] = [
  { name: 'a flag six months after its deprecation', edit: withoutFlag('old'), told: [['flag old', 'removed in time']] },
  { name: 'a beta flag three months after its deprecation', edit: withoutFlag('trial-old'), told: [['flag trial-old', 'removed in time']] },
  { name: 'an alpha flag', edit: withoutFlag('dream'), told: [['flag dream', 'alpha']] },
  { name: 'a flag of users a year after its deprecation', edit: withoutFlag('said-older'), told: [['flag said-older', 'removed in time']] },
  {
    name: 'a flag that is deprecated',
    edit: editFlag('level', { deprecated: { release: '1.33', warning: 'use --mode', replacement: 'mode' } }),
  },
  {
    name: 'a flag that takes more',
    edit: (f) => {
      editFlag('level', { minimum: 0, maximum: 99, help: 'Other words.' })(f);
      editFlag('mode', { values: ['fast', 'safe', 'slow'] })(f);
    },
  },
  { name: 'a flag without a limit', edit: editFlag('level', { maximum: undefined }) },
  { name: 'a flag that does something now', edit: editFlag('level', {}), earlier: editFlag('level', { status: 'accepted' }) },
  {
    name: 'a flag that is new',
    edit: (f) => setTable(f, 'flags', (table) => table.flags.push({ ...flagNamed(table, 'level'), name: 'fresh', short: 'f' })),
  },
  { name: 'a default whose change was announced a year ago', edit: editFlag('mode', { default: 'fast' }) },
  {
    name: 'a behaviour a year after its announcement',
    edit: (f) => setTable(f, 'behaviours', (table) => (table.playsAtNight.removed = '1.33')),
  },
  {
    name: 'an alpha behaviour',
    edit: (f) => setTable(f, 'behaviours', (table) => delete table.playsBackwards),
    told: [['behaviour playsBackwards', 'alpha']],
  },
  {
    name: 'a GA gate two releases later',
    edit: (f) => delete f.featureGates.ToyOldGa,
    told: [['feature gate ToyOldGa', 'removed in time']],
  },
  {
    name: 'a deprecated beta gate a release later',
    edit: (f) => delete f.featureGates.ToyEnding,
    told: [['feature gate ToyEnding', 'removed in time']],
  },
  { name: 'a deprecated alpha gate', edit: (f) => delete f.featureGates.ToyTried, told: [['feature gate ToyTried', 'removed in time']] },
  {
    name: 'a subresource of an alpha version behind a beta gate',
    earlier: (f) => (toysOf(f, ALPHA).subresources[1].featureGate = 'ToyTints'),
    edit: (f) => toysOf(f, ALPHA).subresources.pop(),
    told: [['toys/v1alpha1 toys subresource parts', 'alpha']],
  },
  {
    name: 'an alpha gate with its field',
    edit: (f) => {
      delete f.featureGates.ToyParts;
      for (const folder of [V1, BETA, ALPHA]) {
        removeField(f, 'tried', 'optional string tried = 10;', folder);
        delete specOf(f, folder).gone;
        toysOf(f, folder).subresources.pop();
      }
    },
    told: [
      ['feature gate ToyParts', 'alpha'],
      ['toys/v1 ToySpec.tried', 'alpha'],
    ],
  },
  {
    name: 'a gate that is GA and locked',
    edit: (f) => f.featureGates.ToyTints.push({ release: '1.33', stage: 'GA', default: true, locked: true }),
  },
  { name: 'a gate that is new', edit: (f) => (f.featureGates.ToyFresh = [{ release: '1.33', stage: 'Alpha', default: false }]) },
  {
    name: 'a stable metric a release after it was hidden',
    edit: (f) => setTable(f, 'metrics', (table) => delete table.toys_old_total),
    earlier: (f) => setTable(f, 'metrics', (table) => (table.toys_old_total.deprecated = '1.29')),
    told: [['metric toys_old_total', 'removed in time']],
  },
  {
    name: 'a beta metric two releases after its deprecation',
    edit: (f) => setTable(f, 'metrics', (table) => delete table.toys_beta_old_total),
    earlier: (f) => setTable(f, 'metrics', (table) => (table.toys_beta_old_total.deprecated = '1.30')),
    told: [['metric toys_beta_old_total', 'removed in time']],
  },
  {
    name: 'an alpha metric',
    edit: (f) => setTable(f, 'metrics', (table) => delete table.toys_alpha),
    told: [['metric toys_alpha', 'alpha']],
  },
  {
    name: 'a label of an alpha metric',
    edit: (f) => setTable(f, 'metrics', (table) => delete table.toys_alpha.labels),
    told: [['metric toys_alpha label colour', 'alpha']],
  },
  { name: 'another label of a beta metric', edit: (f) => setTable(f, 'metrics', (table) => table.toys_beta_total.labels.push('size')) },
  {
    name: 'a metric that is deprecated, and one that is more stable',
    edit: (f) =>
      setTable(f, 'metrics', (table) => {
        table.toys_total.deprecated = '1.33';
        table.toys_beta_total.stability = 'STABLE';
      }),
  },
];

const allowed = suite('changes that the policy allows');
for (const { name, edit, earlier, told = [] } of [...additions, ...looser, ...alpha, ...versions, ...tables])
  allowed(name, async () => {
    const outcome = await outcomeOf(edit, earlier);
    assert.equal(messagesOf(outcome), []);
    const found = outcome.allowed.map(({ element, why }) => `${element}: ${why}`);
    for (const [element, why] of told) assert.ok(found.includes(`${element}: ${why}`), found.join('\n'));
  });
allowed.run();
