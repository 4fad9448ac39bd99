/** Fields, elements of lists and what they mean. */
import { type Json, list, own, struct, text } from '../../../tree.ts';
import { BETA, schemasOf, setProto, specOf, toysOf, V1 } from '../../states.ts';
import { row, type ViolationRow } from '../row.ts';
import { columnsOf, FIELD, withField } from './edits.ts';
import type { Variants } from './variants.ts';

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

const reversed = (object: Json): Json => Object.fromEntries(Object.entries(object).reverse());

const allowed: Variants['allowed'] = [
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
];

export const fields: Variants = { violations: [...ofElements, ...ofTime, ...ofMeaning], allowed };
