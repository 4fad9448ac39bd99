/** Rule 1: elements that are gone, or are no longer what they were. */
import { type SchemaFiles, text } from '../../tree.ts';
import { BETA, removeField, schemasOf, setProto, specOf, toysOf, V1 } from '../states.ts';
import { row, type ViolationRow } from './row.ts';

/** New texts, of the numbers from 21 on. */
function addTexts(f: SchemaFiles, names: readonly string[]): void {
  for (const name of names) specOf(f)[name] = text({ 'x-cluster-pointer': true });
  const fields = names.map((name, index) => `optional string ${name} = ${21 + index};`);
  setProto(f, 'optional string plain = 12;', ['optional string plain = 12;', ...fields].join(' '));
}

const resources: readonly ViolationRow[] = [
  row('a resource that is gone', ['CP101', '1', 'toys/v1 toys'], (f) => (f.openapi[V1]['x-cluster-resources'] = [])),
  row('a resource of another name', ['CP101', '1', 'toys/v1 toys'], (f) =>
    Object.assign(toysOf(f), { name: 'playthings', storage: { prefix: 'toys' } }),
  ),
  row('another scope', ['CP102', '1', 'toys/v1 toys scope'], (f) => (toysOf(f).scope = 'Cluster')),
  row('another singular name', ['CP102', '1', 'toys/v1 toys singular'], (f) => (toysOf(f).singular = 'plaything')),
  row(
    'a name that selects by another field',
    ['CP106', '1', 'toys/v1 toys field spec.tone'],
    (f) => (toysOf(f).selectableAliases = { 'spec.tone': 'spec.mode' }),
    (f) => (toysOf(f).selectableAliases = { 'spec.tone': 'spec.colour' }),
  ),
  row('a verb that is gone', ['CP103', '1', 'toys/v1 toys verb watch'], (f) => toysOf(f).verbs.pop()),
  row(
    'several verbs that are gone',
    [
      ['CP103', '1', 'toys/v1 toys verb update'],
      ['CP103', '1', 'toys/v1 toys verb watch'],
    ],
    (f) => (toysOf(f).verbs = ['create', 'delete', 'get', 'list']),
  ),
  row('a subresource that is gone', ['CP104', '1', 'toys/v1 toys subresource status'], (f) => toysOf(f).subresources.shift()),
  row(
    'a subresource of another kind',
    ['CP104', '1', 'toys/v1 toys subresource status'],
    (f) => (toysOf(f).subresources[0].kind = 'ToyList'),
  ),
  row(
    'a verb of a subresource',
    ['CP103', '1', 'toys/v1 toys subresource status verb update'],
    (f) => (toysOf(f).subresources[0].verbs = ['get']),
  ),
  row(
    'a subresource behind a gate that is off',
    ['CP122', '1', 'toys/v1 toys subresource status'],
    (f) => (toysOf(f).subresources[0].featureGate = 'ToyParts'),
  ),
  row(
    'a scale of other fields',
    ['CP108', '1', 'toys/v1 toys subresource scale'],
    (f) => (toysOf(f).subresources[2].scale.specReplicas = '.spec.weight'),
    (f) =>
      toysOf(f).subresources.push({
        name: 'scale',
        kind: 'Toy',
        verbs: ['get', 'update'],
        scale: { specReplicas: '.spec.size', statusReplicas: '.spec.size', selector: '.spec.title' },
      }),
  ),
  row('a resource behind a gate that is off', ['CP122', '1', 'toys/v1 toys feature gate'], (f) => (toysOf(f).featureGate = 'ToyParts')),
  row('a short name that is gone', ['CP105', '1', 'toys/v1 toys short name ty'], (f) => (toysOf(f).shortNames = ['toy'])),
  row('a category that is gone', ['CP105', '1', 'toys/v1 toys category all'], (f) => delete toysOf(f).categories),
  row(
    'a field that nobody can select by any more',
    ['CP106', '1', 'toys/v1 toys field spec.colour'],
    (f) => (toysOf(f).selectableFields = ['spec.mode']),
  ),
  row('names that are refused', ['CP108', '1', 'toys/v1 toys names'], (f) => (toysOf(f).nameFormat = 'dnsLabel')),
  row('a PUT that no longer creates', ['CP108', '1', 'toys/v1 toys putCreates'], (f) => (toysOf(f).putCreates = false)),
  row('a PUT that needs a version', ['CP108', '1', 'toys/v1 toys unconditionalUpdate'], (f) => (toysOf(f).unconditionalUpdate = false)),
  row('a delete that answers otherwise', ['CP108', '1', 'toys/v1 toys deleteAnswers'], (f) => (toysOf(f).deleteAnswers = 'object')),
  row('a beta version is held to the same', ['CP103', '1', 'toys/v1beta1 toys verb watch'], (f) => toysOf(f, BETA).verbs.pop()),
];

const columnsOf = (f: Parameters<ViolationRow['edit']>[0]) => schemasOf(f).Toy['x-cluster-table'].columns;
const columns: readonly ViolationRow[] = [
  row('a column that is gone', ['CP109', '1', 'toys/v1 toys column Colour'], (f) => columnsOf(f).splice(1, 1)),
  row(
    'a column of another name',
    [
      ['CP109', '1', 'toys/v1 toys column Colour'],
      ['CP109', '1', 'toys/v1 toys column Color'],
    ],
    (f) => (columnsOf(f)[1].name = 'Color'),
  ),
  row('a column of another type', ['CP109', '1', 'toys/v1 toys column Size'], (f) => (columnsOf(f)[2].type = 'string')),
  row('a column of another format', ['CP109', '1', 'toys/v1 toys column Name'], (f) => delete columnsOf(f)[0].format),
  row('a column in wide output alone', ['CP109', '1', 'toys/v1 toys column Size'], (f) => (columnsOf(f)[2].priority = 1)),
  row('columns in another order', ['CP109', '1', 'toys/v1 toys column Size'], (f) =>
    columnsOf(f).splice(1, 2, columnsOf(f)[2], columnsOf(f)[1]),
  ),
  row('a column between others', ['CP109', '1', 'toys/v1 toys column Mode'], (f) =>
    columnsOf(f).splice(1, 0, { name: 'Mode', path: '.spec.mode' }),
  ),
];

const FIELD = 'toys/v1 ToySpec';
const fields: readonly ViolationRow[] = [
  row('a field that is gone', ['CP110', '1', `${FIELD}.weight`], (f) => removeField(f, 'weight', 'optional int32 weight = 4;')),
  row(
    'a field that is gone, and its number free',
    [
      ['CP110', '1', `${FIELD}.plain`],
      ['CP114', '1', `${FIELD}.plain`],
    ],
    (f) => {
      delete specOf(f).plain;
      setProto(f, 'optional string plain = 12;', '');
    },
  ),
  row('a field that is gone from a struct within', ['CP110', '1', 'toys/v1 Owner.last'], (f) => {
    delete schemasOf(f).Owner.properties.last;
    schemasOf(f).Owner['x-cluster-validations'] = [];
    setProto(f, 'optional string last = 2;', 'reserved 2;');
  }),
  row(
    'a struct that is no longer embedded',
    [
      ['CP110', '1', `${FIELD}.first`],
      ['CP110', '1', `${FIELD}.last`],
    ],
    (f) => {
      delete schemasOf(f).ToySpec.allOf;
      setProto(f, 'optional Owner embedded = 21;', 'reserved 21;');
    },
    (f) => {
      schemasOf(f).ToySpec.allOf = [{ $ref: '#/components/schemas/Owner' }];
      setProto(f, 'optional string plain = 12;', 'optional string plain = 12; optional Owner embedded = 21;');
    },
  ),
  row('a field that ends with a release to come', ['CP110', '1', `${FIELD}.weight`], (f) => {
    Object.assign(specOf(f).weight, { 'x-cluster-until': '1.34', 'x-cluster-number': 4 });
    setProto(f, 'optional int32 weight = 4;', 'reserved 4;');
  }),
  row('a field that is said to have ended long ago', ['CP110', '1', `${FIELD}.weight`], (f) => {
    Object.assign(specOf(f).weight, { 'x-cluster-until': '1.30', 'x-cluster-number': 4 });
    setProto(f, 'optional int32 weight = 4;', 'reserved 4;');
  }),
  row(
    'a field of another name under its number',
    [
      ['CP110', '1', `${FIELD}.plain`],
      ['CP113', '1', `${FIELD}.fancy`],
    ],
    (f) => {
      delete specOf(f).plain;
      specOf(f).fancy = text({ 'x-cluster-pointer': true });
      setProto(f, 'optional string plain = 12;', 'optional string fancy = 12;');
    },
  ),
  row('another type', ['CP111', '1', `${FIELD}.plain`], (f) => {
    specOf(f).plain = { description: 'A flag.', type: 'boolean', 'x-cluster-pointer': true };
    setProto(f, 'optional string plain = 12;', 'optional bool plain = 12;');
  }),
  row('a list of what was one', ['CP111', '1', `${FIELD}.plain`], (f) => {
    specOf(f).plain = { description: 'Texts.', type: 'array', items: { type: 'string' } };
    setProto(f, 'optional string plain = 12;', 'repeated string plain = 12;');
  }),
  row('another format', ['CP111', '1', `${FIELD}.weight`], (f) => {
    specOf(f).weight.format = 'int64';
    setProto(f, 'optional int32 weight = 4;', 'optional int64 weight = 4;');
  }),
  row('a text of another format', ['CP111', '1', `${FIELD}.plain`], (f) => (specOf(f).plain.format = 'date-time')),
  row(
    'a type whose members are others',
    [
      ['CP110', '1', 'toys/v1 Owner.first'],
      ['CP110', '1', 'toys/v1 Owner.last'],
      ['CP118', '1', 'toys/v1 Owner.name'],
      ['CP120', '1', 'toys/v1 Owner mapType'],
    ],
    (f) => {
      specOf(f).owner.allOf[0].$ref = '#/components/schemas/Part';
      setProto(f, 'optional Owner owner = 9;', 'optional Part owner = 9;');
    },
  ),
  row('another protobuf number', ['CP112', '1', `${FIELD}.plain`], (f) =>
    setProto(f, 'optional string plain = 12;', 'reserved 12; optional string plain = 21;'),
  ),
  row('a number that was reserved', ['CP113', '1', `${FIELD}.fresh`], (f) => {
    specOf(f).fresh = text({ 'x-cluster-pointer': true });
    setProto(f, 'reserved 13, 14,', 'optional string fresh = 13; reserved 14,');
  }),
  row('a name that was reserved', ['CP113', '1', `${FIELD}.former`], (f) => {
    specOf(f).former = text({ 'x-cluster-pointer': true });
    setProto(f, 'reserved "former";', 'optional string former = 21;');
  }),
  row('the name of a field that is gone', ['CP113', '1', `${FIELD}.gone`], (f) => {
    specOf(f).gone = text({ 'x-cluster-pointer': true, 'x-cluster-since': '1.33' });
    setProto(f, 'optional string plain = 12;', 'optional string plain = 12; optional string gone = 21;');
  }),
  row('a number that is free again', ['CP114', '1', 'toys/v1 ToySpec'], (f) => setProto(f, 'reserved 13, 14,', 'reserved 14,')),
  row('a name that is free again', ['CP114', '1', 'toys/v1 ToySpec'], (f) => setProto(f, 'reserved "former";', '')),
  row('a value that is gone', ['CP115', '1', `${FIELD}.colour value Green`], (f) => specOf(f).colour.enum.pop()),
  row(
    'a value of another name',
    [
      ['CP115', '1', `${FIELD}.colour value Red`],
      ['CP115', '1', `${FIELD}.colour value Green`],
    ],
    (f) => (specOf(f).colour.enum = ['red', 'green']),
  ),
  row(
    'a value that ends with a release to come',
    ['CP115', '1', `${FIELD}.colour value Red`],
    (f) => (specOf(f).colour['x-cluster-enum-until'] = { Red: '1.34' }),
  ),
  row('a constant of an open set', ['CP115', '1', `${FIELD}.mode value Slow`], (f) => specOf(f).mode.enum.pop()),
  row('a set that is closed', ['CP116', '1', `${FIELD}.mode`], (f) => delete specOf(f).mode['x-cluster-open']),
  row('a text that takes only some values', ['CP116', '1', `${FIELD}.plain`], (f) => (specOf(f).plain.enum = ['A', 'B'])),
  row('another default', ['CP117', '1', `${FIELD}.size`], (f) => (specOf(f).size.default = 4)),
  row('no default any more', ['CP117', '1', `${FIELD}.size`], (f) => delete specOf(f).size.default),
  row('a default where there was none', ['CP117', '1', `${FIELD}.plain`], (f) => (specOf(f).plain.default = 'a')),
  row('an unpublished default where there was none', ['CP117', '1', `${FIELD}.plain`], (f) => (specOf(f).plain['x-cluster-default'] = 'a')),
  row('another default that depends', ['CP117', '1', `${FIELD}.weight`], (f) => (specOf(f).weight['x-cluster-default-when'].value = 6)),
  row(
    'a default under another condition',
    ['CP117', '1', `${FIELD}.weight`],
    (f) => (specOf(f).weight['x-cluster-default-when'].when.colour = 'Green'),
  ),
  row(
    'a default of a member below',
    ['CP117', '1', 'toys/v1 Toy spec.plain'],
    (f) => (schemasOf(f).Toy['x-cluster-defaults'] = { 'spec.plain': { value: 'a' } }),
  ),
  row('absent and zero are one', ['CP117', '1', `${FIELD}.plain`], (f) => delete specOf(f).plain['x-cluster-pointer']),
  row(
    'what was always written',
    ['CP117', '1', 'toys/v1 ToyList.items'],
    (f) => delete schemasOf(f).ToyList.properties.items['x-cluster-always'],
  ),
  row('a field that is required', ['CP118', '1', `${FIELD}.plain`], (f) => schemasOf(f).ToySpec.required.push('plain')),
  row('a field that is required by a mark', ['CP118', '1', `${FIELD}.plain`], (f) => (specOf(f).plain['x-cluster-required'] = true)),
  row('a new list that must not be empty', ['CP118', '1', `${FIELD}.fresh`], (f) => {
    specOf(f).fresh = { description: 'Texts.', type: 'array', items: { type: 'string' }, minItems: 1 };
    setProto(f, 'optional string plain = 12;', 'optional string plain = 12; repeated string fresh = 21;');
  }),
  row('a new number that must not be zero', ['CP118', '1', `${FIELD}.fresh`], (f) => {
    specOf(f).fresh = { description: 'A number.', type: 'integer', format: 'int32', minimum: 1 };
    setProto(f, 'optional string plain = 12;', 'optional string plain = 12; optional int32 fresh = 21;');
  }),
  row('a new field that is required beside a value that was there', ['CP118', '1', `${FIELD}.fresh`], (f) => {
    addTexts(f, ['fresh']);
    specOf(f).fresh['x-cluster-validations'] = [{ required: true, when: { colour: 'Red' } }];
  }),
  row('a kind that is not in protobuf', ['CP112', '1', 'toys/v1 Toy'], (f) => (schemasOf(f).Toy['x-cluster-protobuf'] = false)),
  row('a new field that is required', ['CP118', '1', `${FIELD}.fresh`], (f) => {
    specOf(f).fresh = text();
    schemasOf(f).ToySpec.required.push('fresh');
    setProto(f, 'optional string plain = 12;', 'optional string plain = 12; optional string fresh = 21;');
  }),
  row('a gate that is off', ['CP122', '1', `${FIELD}.plain`], (f) => (specOf(f).plain['x-cluster-feature-gate'] = 'ToyParts')),
  row(
    'a gate that is turned off',
    [
      ['CP122', '1', `${FIELD}.tint`],
      ['CP122', '1', 'toys/v1beta1 ToySpec.tint'],
    ],
    (f) => f.featureGates.ToyTints.push({ release: '1.33', stage: 'Deprecated', default: false }),
  ),
  row('a field behind a beta gate is held to the same', ['CP110', '1', `${FIELD}.tint`], (f) =>
    removeField(f, 'tint', 'optional string tint = 11;'),
  ),
  row('a beta version is held to the same', ['CP110', '1', 'toys/v1beta1 ToySpec.weight'], (f) =>
    removeField(f, 'weight', 'optional int32 weight = 4;', BETA),
  ),
  row(
    'a kind of files',
    ['CP110', '1', 'config/v1 Config.level'],
    (f) => (f.openapi['config/v1'].components.schemas.Config.properties = { other: text({ 'x-cluster-pointer': true }) }),
  ),
];

const constraints: readonly ViolationRow[] = [
  row('a greater minimum', ['CP119', '1', `${FIELD}.size`], (f) => (specOf(f).size.minimum = 2)),
  row('a smaller maximum', ['CP119', '1', `${FIELD}.size`], (f) => (specOf(f).size.maximum = 8)),
  row('a minimum where there was none', ['CP119', '1', `${FIELD}.weight`], (f) => (specOf(f).weight.minimum = 0)),
  row('a shorter text', ['CP119', '1', `${FIELD}.title`], (f) => (specOf(f).title.maxLength = 19)),
  row('a longer text', ['CP119', '1', `${FIELD}.title`], (f) => (specOf(f).title.minLength = 2)),
  row('another pattern', ['CP119', '1', `${FIELD}.title`], (f) => (specOf(f).title.pattern = '^[a-y]+$')),
  row('a pattern where there was none', ['CP119', '1', `${FIELD}.plain`], (f) => (specOf(f).plain.pattern = 'a')),
  row('fewer elements', ['CP119', '1', `${FIELD}.names`], (f) => (specOf(f).names.maxItems = 3)),
  row('a format', ['CP119', '1', `${FIELD}.plain`], (f) => (specOf(f).plain['x-cluster-format'] = 'dnsLabel')),
  row('a field that cannot change', ['CP119', '1', `${FIELD}.plain`], (f) => (specOf(f).plain['x-cluster-immutable'] = true)),
  row('elements that must differ', ['CP119', '1', `${FIELD}.names`], (f) => (specOf(f).names['x-cluster-unique'] = true)),
  row('a rule', ['CP119', '1', `${FIELD}.plain`], (f) => (specOf(f).plain['x-cluster-validations'] = [{ rule: 'toys/toy#isPlain' }])),
  row(
    'a constraint of members together',
    ['CP119', '1', 'toys/v1 ToySpec'],
    (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ zeroOrOneOf: ['plain', 'tint'] }]),
  ),
  row(
    'one member that may no longer be set with others',
    ['CP119', '1', 'toys/v1 Owner'],
    (f) => (schemasOf(f).Owner['x-cluster-validations'] = [{ oneOf: ['first', 'last'] }]),
  ),
  row(
    'what holds with a gate that is turned on',
    ['CP119', '1', `${FIELD}.plain`],
    (f) => f.featureGates.ToyStrict.push({ release: '1.33', stage: 'Beta', default: true }),
    (f) => {
      f.featureGates.ToyStrict = [{ release: '1.32', stage: 'Alpha', default: false }];
      specOf(f).plain['x-cluster-validations'] = [{ minLength: 2, gate: 'ToyStrict' }];
    },
  ),
  row('a new member that must be set', ['CP119', '1', 'toys/v1 ToySpec'], (f) => {
    addTexts(f, ['fresh']);
    schemasOf(f).ToySpec['x-cluster-validations'] = [{ at: 'fresh', required: true }];
  }),
  row('a new member that must be set beside a value that was there', ['CP119', '1', 'toys/v1 ToySpec'], (f) => {
    addTexts(f, ['fresh']);
    schemasOf(f).ToySpec['x-cluster-validations'] = [{ when: { colour: 'Red' }, all: [{ at: 'fresh', required: true }] }];
  }),
  row('new members of which one must be set', ['CP119', '1', 'toys/v1 ToySpec'], (f) => {
    addTexts(f, ['fresh', 'fancy']);
    schemasOf(f).ToySpec['x-cluster-validations'] = [{ oneOf: ['fresh', 'fancy'] }];
  }),
  row('a new union of which one member must be set', ['CP119', '1', 'toys/v1 ToySpec'], (f) => {
    addTexts(f, ['fresh', 'fancy']);
    schemasOf(f).ToySpec['x-cluster-validations'] = [{ union: { members: ['fresh', 'fancy'], none: 'one is needed' } }];
  }),
  row(
    'a member that was there, and no longer goes with others',
    ['CP119', '1', 'toys/v1 ToySpec'],
    (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ zeroOrOneOf: ['plain', 'tint', 'mode'] }]),
    (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ zeroOrOneOf: ['plain', 'tint'] }]),
  ),
  row(
    'a member that no longer is the one',
    ['CP119', '1', 'toys/v1 ToySpec'],
    (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ oneOf: ['plain', 'tint'] }]),
    (f) => (schemasOf(f).ToySpec['x-cluster-validations'] = [{ oneOf: ['plain', 'tint', 'mode'] }]),
  ),
  row(
    'what the type of a field asks for, and did not there',
    ['CP119', '1', `${FIELD}.owner`],
    (f) => delete specOf(f).owner['x-cluster-unchecked'],
    (f) => (specOf(f).owner['x-cluster-unchecked'] = true),
  ),
  row(
    'each of several',
    [
      ['CP119', '1', `${FIELD}.size`],
      ['CP119', '1', `${FIELD}.size`],
      ['CP119', '1', `${FIELD}.size`],
      ['CP117', '1', `${FIELD}.size`],
    ],
    (f) => Object.assign(specOf(f).size, { minimum: 2, maximum: 8, default: 4, 'x-cluster-validations': [{ neq: 5 }] }),
  ),
];

const ownership: readonly ViolationRow[] = [
  row(
    'a list that is replaced as a whole',
    [
      ['CP120', '1', `${FIELD}.parts listType`],
      ['CP120', '1', `${FIELD}.parts listMapKeys`],
    ],
    (f) => {
      specOf(f).parts['x-kubernetes-list-type'] = 'atomic';
      delete specOf(f).parts['x-kubernetes-list-map-keys'];
    },
  ),
  row(
    'a list with other keys',
    ['CP120', '1', `${FIELD}.parts listMapKeys`],
    (f) => (specOf(f).parts['x-kubernetes-list-map-keys'] = ['name', 'count']),
  ),
  row(
    'a map whose members are owned each',
    ['CP120', '1', `${FIELD}.labels mapType`],
    (f) => delete specOf(f).labels['x-kubernetes-map-type'],
  ),
  row(
    'a struct that is owned as a whole',
    ['CP120', '1', 'toys/v1 Part mapType'],
    (f) => (schemasOf(f).Part['x-kubernetes-map-type'] = 'atomic'),
  ),
  row(
    'another patch strategy',
    ['CP121', '1', `${FIELD}.parts patch strategy`],
    (f) => (specOf(f).parts['x-kubernetes-patch-strategy'] = 'replace'),
  ),
  row('another merge key', ['CP121', '1', `${FIELD}.parts merge key`], (f) => delete specOf(f).parts['x-kubernetes-patch-merge-key']),
];

const stepsOf = (f: SchemaFiles) => schemasOf(f, BETA).Toy['x-cluster-conversion'].steps;
const names: readonly ViolationRow[] = [
  row(
    'an annotation of another name',
    ['CP123', '1', 'toys/v1beta1 Toy annotation toys.example/plain'],
    (f) => (schemasOf(f, BETA).Toy['x-cluster-conversion'].steps[0].annotation = 'toys.example/simple'),
  ),
  row(
    'another default of an older version',
    ['CP125', '1', 'toys/v1beta1 Toy spec.mode'],
    (f) => (stepsOf(f)[1].value = 'Slow'),
    (f) => stepsOf(f).push({ op: 'default', path: 'spec.mode', value: 'Fast' }),
  ),
  row('a default of an older version where there was none', ['CP125', '1', 'toys/v1beta1 Toy spec.mode'], (f) =>
    stepsOf(f).push({ op: 'default', path: 'spec.mode', value: 'Fast' }),
  ),
  row(
    'a value of an older version that means another one',
    ['CP125', '1', 'toys/v1beta1 Toy value Red of spec.colour'],
    (f) => (stepsOf(f)[1].values.Red = 'Green'),
    (f) => stepsOf(f).push({ op: 'mapValues', path: 'spec.colour', values: { Red: 'Red', Green: 'Green' } }),
  ),
  row(
    'a field of an older version that is another one',
    ['CP125', '1', 'toys/v1beta1 Toy spec.tint'],
    (f) => (stepsOf(f)[1].to = 'spec.title'),
    (f) => stepsOf(f).push({ op: 'rename', from: 'spec.tint', to: 'spec.plain' }),
  ),
  row(
    'another word of a dialect',
    ['CP124', '1', 'identifier labelDomain of kubernetes'],
    (f) => (f.identity.names.labelDomain.kubernetes = 'k9s.io'),
  ),
  row(
    'a word that is gone',
    [
      ['CP124', '1', 'identifier labelDomain of kubernetes'],
      ['CP124', '1', 'identifier labelDomain of cluster'],
    ],
    (f) => delete f.identity.names.labelDomain,
  ),
];

const CONFIG = 'config/v1 Config';
const configOf = (f: SchemaFiles) => f.openapi['config/v1'].components.schemas.Config;
const isLenient = (f: SchemaFiles) => (configOf(f)['x-cluster-file'] = { kind: 'Settings', unnamed: true, unknownFields: 'warn' });
const kinds: readonly ViolationRow[] = [
  row('files that must say another kind', ['CP107', '1', CONFIG], (f) => (configOf(f)['x-cluster-file'].kind = 'Config'), isLenient),
  row('files that must say their kind', ['CP119', '1', CONFIG], (f) => delete configOf(f)['x-cluster-file'].unnamed, isLenient),
  row(
    'files whose unknown members are refused',
    ['CP119', '1', CONFIG],
    (f) => delete configOf(f)['x-cluster-file'].unknownFields,
    isLenient,
  ),
  row(
    'a kind of a version that goes on',
    ['CP107', '1', 'toys/v1 Doll'],
    (f) => {
      delete schemasOf(f).Doll;
      f.openapi[V1]['x-cluster-resources'].pop();
    },
    (f) => {
      schemasOf(f).Doll = {
        ...schemasOf(f).Part,
        'x-cluster-kind': true,
        'x-cluster-lifecycle': { introduced: '1.28' },
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
  ),
];

export const apiViolations: readonly ViolationRow[] = [
  ...resources,
  ...columns,
  ...fields,
  ...constraints,
  ...ownership,
  ...names,
  ...kinds,
];
