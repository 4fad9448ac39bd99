import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyKindRules } from '../../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { rules as customResourceDefinitionRules } from '../../../runtime/kinds/apiextensions/custom-resource-definition.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { changeErrors, objectErrors } from '../../../runtime/validation/kind-errors.ts';
import { identity, lines, ruleContext } from '../context.ts';
import { loadKind } from '../kind.ts';

const test = suite('definitions of custom resources');
const definitions = await loadKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
const rules: AnyKindRules = customResourceDefinitionRules(identity);

const RATCHETING = 'CRDValidationRatcheting';
const EMBEDDED = { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const UNTYPED =
  'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
const ROOT = 'spec.validation.openAPIV3Schema';
const names = { plural: 'things', kind: 'Thing' };
const version = (members: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...members,
});

function definition(spec: object): ApiObject {
  const made = definitions.decode({
    metadata: { name: 'things.a.example.com' },
    spec: { group: 'a.example.com', names, scope: 'Namespaced', versions: [version()], ...spec },
  }).object;
  rules.prepareForCreate?.(made, ruleContext(RATCHETING));
  return made;
}

function createErrors(made: ApiObject) {
  return lines([...(definitions.rules.validate?.(made, ruleContext()) ?? [])]);
}
const errorsOf = (spec: object) => createErrors(definition(spec));
function updateErrors(changed: ApiObject, old: ApiObject) {
  const own = { data: definitions.data, rules };
  return lines([...objectErrors(own, changed, old, ruleContext()), ...changeErrors(own, changed, old, ruleContext())]);
}
const schemaOf = (a: object) => ({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties: { a } } } })] });

test('defaults', () => {
  const { spec, status } = definition({});
  assert.equal(spec.names, { plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList' });
  assert.equal([spec.conversion, status.storedVersions], [{ strategy: 'None' }, ['v1']]);
});

const webhook = (clientConfig: object, conversionReviewVersions: string[]) => ({
  conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } },
});

/** what is wrong, members of the specification, errors */
const shownVersions = (...versions: readonly string[]): string => `[]apiextensions.CustomResourceDefinitionVersion{${versions.join(', ')}}`;
const shownVersion = (
  warning = 'Deprecated:false, DeprecationWarning:(*string)(nil)',
  subresources = 'nil',
  more = NO_COLUMNS_AND_FIELDS,
  schema = '0xc',
): string =>
  `apiextensions.CustomResourceDefinitionVersion{Name:"v1", Served:true, Storage:true, ${warning}, Schema:(*apiextensions.CustomResourceValidation)(${schema}), Subresources:(*apiextensions.CustomResourceSubresources)(${subresources}), ${more}}`;
const NO_COLUMNS_AND_FIELDS =
  'AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition(nil), SelectableFields:[]apiextensions.SelectableField(nil)';
/** What all versions have alike stands above them. */
const ALIKE = shownVersion(undefined, undefined, undefined, 'nil');
const DIFFERENT = shownVersions(
  shownVersion('Deprecated:true, DeprecationWarning:(*string)(0xc)', '0xc'),
  shownVersion(
    undefined,
    undefined,
    'AdditionalPrinterColumns:[]apiextensions.CustomResourceColumnDefinition{apiextensions.CustomResourceColumnDefinition{Name:"A", Type:"string", Format:"", Description:"", Priority:0, JSONPath:".a"}}, SelectableFields:[]apiextensions.SelectableField{apiextensions.SelectableField{JSONPath:".spec.a"}}',
  ),
);

const specs: [string, object, string[]][] = [
  ['nothing', {}, []],
  ['no scope', { scope: '' }, ['spec.scope: Required value']],
  [
    'another group',
    { group: 'nodots' },
    [
      'metadata.name: Invalid value: "things.a.example.com": must be spec.names.plural+"."+spec.group',
      'spec.group: Invalid value: "nodots": should be a domain with at least one dot',
    ],
  ],
  [
    'a webhook without anything',
    { conversion: { strategy: 'Webhook' } },
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      'spec.conversion.conversionReviewVersions: Required value',
    ],
  ],
  [
    'a webhook without the strategy',
    { conversion: { strategy: 'None', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } } },
    [
      'spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
      'spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
    ],
  ],
  [
    'a webhook by a service without names, and a version of the review twice',
    webhook({ service: { port: 0 } }, ['v2', 'v2']),
    [
      'spec.conversion.webhookClientConfig.service.name: Required value: service name is required',
      'spec.conversion.webhookClientConfig.service.namespace: Required value: service namespace is required',
      'spec.conversion.webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.conversion.conversionReviewVersions[1]: Invalid value: "v2": duplicate version',
      'spec.conversion.conversionReviewVersions: Invalid value: []string{"v2", "v2"}: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'a webhook at an address that is not secured',
    webhook({ url: 'http://a.example.com' }, ['v1']),
    [
      'spec.conversion.webhookClientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
    ],
  ],
  [
    'a warning of a version that is not deprecated',
    { versions: [version({ deprecationWarning: 'old' })] },
    ['spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions'],
  ],
  [
    'parts that differ stand at their version',
    { versions: [version(), version({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'string' } } })] },
    ['spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root'],
  ],
  [
    'a status beside keywords that cannot be split',
    { versions: [version({ subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'array', items: { type: 'string' } } } })] },
    [
      `${ROOT}.type: Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
      `${ROOT}.type: Invalid value: "array": must be object at the root`,
    ],
  ],
  [
    'all unknown fields kept',
    { preserveUnknownFields: true },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    'two versions of one name, both stored',
    { versions: [version(), version()] },
    [
      `spec.versions: Invalid value: ${shownVersions(ALIKE, ALIKE)}: must contain unique version names`,
      `spec.versions: Invalid value: ${shownVersions(ALIKE, ALIKE)}: must have exactly one version marked as storage version`,
      'status.storedVersions: Invalid value: []string{"v1"}: must have the storage version v1',
    ],
  ],
  [
    'versions are shown in the notation of Go',
    {
      versions: [
        version({ deprecated: true, deprecationWarning: 'old', subresources: { status: {} } }),
        version({
          additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
          selectableFields: [{ jsonPath: '.spec.a' }],
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } } },
        }),
      ],
    },
    [
      `spec.versions: Invalid value: ${DIFFERENT}: must contain unique version names`,
      `spec.versions: Invalid value: ${DIFFERENT}: must have exactly one version marked as storage version`,
      'status.storedVersions: Invalid value: []string{"v1"}: must have the storage version v1',
    ],
  ],
  [
    'no versions: shown as a list that is not there',
    { versions: [] },
    [
      'spec.versions: Invalid value: []apiextensions.CustomResourceDefinitionVersion(nil): must have exactly one version marked as storage version',
      'status.storedVersions: Invalid value: []string(nil): must have at least one stored version',
    ],
  ],
];
/** Addresses differ whenever they are shown. */
const withoutAddresses = (errors: readonly string[]): string[] => errors.map((error) => error.replaceAll(/\(0x[0-9a-f]+\)/g, '(0xc)'));
for (const [name, members, expected] of specs) test(name, () => assert.equal(withoutAddresses(errorsOf(members)), expected));

/** the schema of a member `a`, errors below its path */
const schemas: [string, object, string[]][] = [
  ['integers or strings', { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, []],
  [
    'types of a union otherwise',
    { type: 'string', anyOf: [{ type: 'integer' }] },
    ['.anyOf[0].type: Forbidden: must be empty to be structural'],
  ],
  [
    'a member that only a part names, below the root',
    { type: 'object', properties: { b: { type: 'string' } }, not: { properties: { c: { maxLength: 1 } } } },
    [],
  ],
  ['an array without items', { type: 'array' }, ['.items: Required value: must be specified']],
  ['a reference', { $ref: '#/x' }, ['.$ref: Forbidden: $ref is not supported']],
  [
    'an empty reference, beside which structure is looked at',
    { type: 'string', $ref: '', anyOf: [{ title: 'x' }] },
    ['.anyOf[0].title: Forbidden: must be empty to be structural', '.$ref: Forbidden: $ref is not supported'],
  ],
  ['an integer or a text that states a type', { 'x-kubernetes-int-or-string': true, type: 'integer' }, []],
  [
    'rules that are incomplete keep all expressions around from being looked at',
    {
      type: 'object',
      properties: { b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'nothing', reason: 'X' }] } },
      additionalProperties: true,
      'x-kubernetes-validations': [{ rule: 'nothing' }],
      'x-kubernetes-map-type': 'b',
    },
    [
      '.properties[b].x-kubernetes-validations[0].reason: Unsupported value: "X": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      '.x-kubernetes-map-type: Unsupported value: "b": supported values: "atomic", "granular"',
    ],
  ],
  [
    'a rule about what was in an atomic map',
    {
      type: 'object',
      properties: { b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
      'x-kubernetes-map-type': 'atomic',
    },
    [],
  ],
  [
    'rules of values of any type',
    { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-validations': [{ rule: 'true' }] },
    [`.x-kubernetes-validations: Internal error: ${UNTYPED}`],
  ],
  [
    'rules of members of values of any type, which have none',
    {
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == ""' }] } },
    },
    [],
  ],
  [
    'keys that items lack',
    {
      type: 'array',
      items: { type: 'object', properties: {} },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k', 'k'],
    },
    [
      '.x-kubernetes-list-map-keys: Invalid value: []string{"k", "k"}: entries must all be names of item properties',
      '.x-kubernetes-list-map-keys: Invalid value: []string{"k", "k"}: entries must all be names of item properties',
      '.x-kubernetes-list-map-keys: Invalid value: []string{"k", "k"}: must not contain duplicate entries',
    ],
  ],
  [
    'an embedded object with metadata of another type',
    { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata: { type: 'string' } } },
    ['.properties[metadata].type: Invalid value: "string": must be object'],
  ],
  [
    'what is not structural comes before keywords',
    { 'x-kubernetes-list-type': 'atomic' },
    [
      '.type: Required value: must not be empty for specified object fields',
      '.type: Required value: must be array if x-kubernetes-list-type is specified',
    ],
  ],
  [
    'unknown fields that are expressly not kept, which no structure is read of',
    { 'x-kubernetes-preserve-unknown-fields': false },
    ['.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined'],
  ],
  [
    'integers or strings without the mark lack a type alone',
    { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    ['.type: Required value: must not be empty for specified object fields'],
  ],
  ...(
    [
      ['no expression', { rule: ' ' }, '.rule: Required value: rule is not specified'],
      ['a message of blanks', { rule: 'true', message: ' ' }, '.message: Invalid value: " ": message must be non-empty if specified'],
      [
        'a message of two lines',
        { rule: 'true', message: 'a\nb' },
        '.message: Invalid value: "a\\nb": message must not contain line breaks',
      ],
      ['two lines', { rule: 'true\n&& true' }, '.message: Required value: message must be specified if rule contains line breaks'],
      [
        'a message expression of blanks',
        { rule: 'true', messageExpression: ' ' },
        '.messageExpression: Required value: messageExpression must be non-empty if specified',
      ],
      [
        'an unknown reason',
        { rule: 'true', reason: 'X' },
        '.reason: Unsupported value: "X": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      ],
      ['a path to nothing', { rule: 'true', fieldPath: '.c' }, '.fieldPath: Invalid value: ".c": fieldPath must be a valid path'],
      ['no path', { rule: 'true', fieldPath: 'b' }, '.fieldPath: Invalid value: "b": fieldPath must be a valid path'],
      ['a path into a list', { rule: 'true', fieldPath: '.b[0]' }, '.fieldPath: Invalid value: ".b[0]": fieldPath must be a valid path'],
      ['a path to a member', { rule: 'true', fieldPath: '.b' }, undefined],
      ['a path to a key', { rule: 'true', fieldPath: ".m['x.y']" }, undefined],
    ] as const
  ).map(([name, rule, error]): [string, object, string[]] => [
    `a rule with ${name}`,
    {
      type: 'object',
      properties: { b: { type: 'string' }, m: { type: 'object', additionalProperties: { type: 'string' } } },
      'x-kubernetes-validations': [rule],
    },
    error === undefined ? [] : [`.x-kubernetes-validations[0]${error}`],
  ]),
];
for (const [name, schema, expected] of schemas)
  test(name, () =>
    assert.equal(
      errorsOf(schemaOf(schema)),
      expected.map((line) => `${ROOT}.properties[a]${line}`),
    ),
  );

/** the schema of a member `a`, errors below its path: of defaults that do not fit it */
const defaults: [string, object, string[]][] = [
  ['of another type', { type: 'integer', default: 'x' }, ['.default: Invalid value: "string":  in body must be of type integer: "string"']],
  ['that is null is none', { type: 'integer', default: null }, []],
  [
    'with an element of another type',
    { type: 'array', items: { type: 'integer' }, default: [1, '2'] },
    ['.default.[1]: Invalid value: "string": [1] in body must be of type integer: "string"'],
  ],
  [
    'without a member that is needed, its own default or not',
    { type: 'object', properties: { b: { type: 'string', default: 'x' } }, required: ['b'], default: {} },
    ['.default.b: Required value'],
  ],
  [
    'with unknown members',
    { type: 'object', properties: { b: { type: 'object' } }, default: { b: { c: [1] } } },
    ['.default: Invalid value: map[string]interface {}{"b":map[string]interface {}{"c":[]interface {}{1}}}: must not have unknown fields'],
  ],
  ['with unknown members that are kept', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { b: { c: 1 } } }, []],
  ['of values of a map are passed over', { type: 'object', additionalProperties: { type: 'integer', default: 'x' } }, []],
  [
    'of an object that does not say what it is',
    { type: 'object', ...EMBEDDED, default: { kind: 'A-' } },
    [
      '.default.apiVersion: Required value: must not be empty',
      `.default.kind: Invalid value: "A-": may have mixed case, but should otherwise match: ${LABEL}`,
    ],
  ],
  [
    'of an object whose metadata cannot be read',
    { type: 'object', ...EMBEDDED, default: { apiVersion: 'v1', kind: 'A', metadata: { labels: 1 } } },
    [
      '.default.metadata: Invalid value: map[string]interface {}{"labels":1}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string',
    ],
  ],
  [
    'of metadata',
    { type: 'object', ...EMBEDDED, properties: { metadata: { type: 'object', properties: { name: { type: 'string', default: '..' } } } } },
    [
      `.properties[metadata].properties[name].default: Invalid value: "..": must result in valid metadata: metadata.name: Invalid value: "..": may not be '..'`,
    ],
  ],
  [
    'of the kind and of the version of an object',
    { type: 'object', ...EMBEDDED, properties: { kind: { type: 'string', default: 'A-' }, apiVersion: { type: 'string', default: '' } } },
    [
      '.properties[apiVersion].default: Invalid value: "": must result in valid metadata: apiVersion: Invalid value: "": must not be empty',
      `.properties[kind].default: Invalid value: "A-": must result in valid metadata: kind: Invalid value: "A-": may have mixed case, but should otherwise match: ${LABEL}`,
    ],
  ],
  [
    'of objects in a list that do not say what they are',
    { type: 'array', items: { type: 'object', properties: { b: { type: 'object', ...EMBEDDED } } }, default: [{ b: { kind: 'A' } }] },
    ['.default[0].b.apiVersion: Required value: must not be empty'],
  ],
  ['of an integer or a text that is neither', { 'x-kubernetes-int-or-string': true, default: {} }, []],
  [
    'of an integer or a text that states a type',
    { type: 'array', items: { 'x-kubernetes-int-or-string': true, type: 'integer' }, default: ['5'] },
    ['.default.[0]: Invalid value: "string": [0] in body must be of type integer: "string"'],
  ],
  [
    'that a rule refuses where nothing was there before',
    { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue()', optionalOldSelf: true }] },
    ['.default: Invalid value: "integer": failed rule: oldSelf.hasValue()'],
  ],
  [
    'against rules of values of any type',
    { 'x-kubernetes-preserve-unknown-fields': true, default: 1, 'x-kubernetes-validations': [{ rule: 'true' }] },
    ['.default: Invalid value: "": rule compiler initialization error: failed to convert to declType for CEL validation rules'],
  ],
  [
    'against rules, in their order',
    { type: 'integer', default: 1, 'x-kubernetes-validations': [{ rule: 'false' }, { rule: 'nothing' }] },
    [
      '.default: Invalid value: "integer": failed rule: false',
      ".default: Invalid value: \"integer\": rule compile error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '')\n | nothing\n | ^",
    ],
  ],
  ['of a format that is not known', { type: 'boolean', format: 'x', default: 'x' }, []],
  [
    'of a format of numbers',
    { type: 'integer', format: 'int32', default: true },
    ['.default: Invalid value: "":  in body must be of type int32: ""'],
  ],
  [
    'that is wrong keeps its rules from being looked at',
    { type: 'integer', default: 'x', 'x-kubernetes-validations': [{ rule: 'nothing' }] },
    ['.default: Invalid value: "string":  in body must be of type integer: "string"'],
  ],
  [
    'of metadata with a kind that is none',
    { type: 'object', ...EMBEDDED, properties: { kind: { type: 'string', default: 'A' }, metadata: { type: 'object' } } },
    [],
  ],
];
for (const [name, schema, expected] of defaults)
  test(`a default ${name}`, () =>
    assert.equal(
      errorsOf(schemaOf(schema)),
      expected.map((line) => `${ROOT}.properties[a]${line}`),
    ));

for (const name of ['metadata', 'kind', 'apiVersion'])
  test(`the outermost ${name} has no default`, () => {
    const member =
      name === 'metadata' ? { type: 'object', properties: { name: { type: 'string', default: 'x' } } } : { type: 'string', default: 'x' };
    const at = `${ROOT}.properties[${name}]${name === 'metadata' ? '.properties[name]' : ''}`;
    const openAPIV3Schema = { type: 'object', properties: { [name]: member } };
    assert.equal(errorsOf({ versions: [version({ schema: { openAPIV3Schema } })] }), [
      `${at}.default: Forbidden: must not be set in top-level ${name}`,
    ]);
  });

/** the schema of a member `a`: what is wrong with it is not refused where it was wrong before */
const stored: [string, object][] = [
  ['an unknown type', { type: 'array', items: { type: 'x' } }],
  ['a set of objects that are owned in parts', { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }],
  ['a set of null', { type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' }],
  ['a default with unknown members', { type: 'object', default: { b: 1 } }],
];
for (const [name, schema] of stored)
  test(`an update may leave ${name}, but not bring it`, () => {
    const of = (schema: object) => definition(schemaOf(schema));
    const changed = of({ ...schema, description: 'x' });
    assert.equal(updateErrors(changed, of(schema)), []);
    assert.is(updateErrors(changed, of({ type: 'string' })).length, 1);
  });

test('a part of the whole schema names no other members', () => {
  const openAPIV3Schema = { type: 'object', properties: { b: { type: 'string' } }, not: { properties: { c: { maxLength: 1 } } } };
  assert.equal(errorsOf({ versions: [version({ schema: { openAPIV3Schema } })] }), [
    `${ROOT}.properties[c]: Required value: because it is defined in ${ROOT}.not.properties[c]`,
  ]);
});

test('a part of the schema of one of several versions is named with its version', () => {
  const openAPIV3Schema = { type: 'object', allOf: [{ properties: { c: { maxLength: 1 } } }] };
  const versions = [version(), version({ name: 'v2', storage: false, schema: { openAPIV3Schema } })];
  const at = 'spec.versions[1].schema.openAPIV3Schema';
  assert.equal(errorsOf({ versions }), [`${at}.properties[c]: Required value: because it is defined in ${at}.allOf[0].properties[c]`]);
});

test('of equal stored versions the last one is told', () => {
  const made = definition({});
  made.status = { ...made.status, storedVersions: ['v0', 'v1', 'v0'] };
  assert.equal(createErrors(made), ['status.storedVersions[2]: Invalid value: "v0": must appear in spec.versions']);
});

test('the type of the elements is shown where a key of theirs is no scalar', () => {
  const items = { type: 'object', required: ['a'], properties: { a: { type: 'array', items: { type: 'string' } } } };
  const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'], items };
  assert.equal(errorsOf(schemaOf(list)), [
    `${ROOT}.properties[a].items.properties[a].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
  ]);
});

test('an empty list type at the root stands there', () => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-list-type': '' } };
  const [first] = errorsOf({ versions: [version({ subresources: { status: {} }, schema })] });
  assert.match(first ?? '', 'fields are allowed at the root of the schema if the status subresource is enabled');
});

const RULED = { type: 'string', maxLength: 5000, 'x-kubernetes-validations': [{ rule: "self.contains('keyword')" }] };

test('only the type of a schema says how often values below occur', () => {
  assert.equal(errorsOf(schemaOf({ type: 'string', maxItems: 100_000, items: RULED })), []);
  const [first] = errorsOf(schemaOf({ type: 'array', maxItems: 100_000, items: RULED }));
  assert.match(first ?? '', 'estimated rule cost exceeds budget by factor of 20.0x');
});

test('limits beyond what a double holds', () => {
  const limit = rawNumber('9223372036854775807');
  const rules = [{ rule: 'self.size() > 0' }];
  const items = { type: 'string', maxLength: limit, 'x-kubernetes-validations': rules };
  const found = errorsOf(schemaOf({ type: 'array', maxItems: limit, 'x-kubernetes-validations': rules, items }));
  assert.equal(
    found.map((text) => text.slice(0, text.indexOf(' (try'))),
    [
      `${ROOT}.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x`,
      `${ROOT}.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schem`,
      `${ROOT}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x`,
    ],
  );
});

test('authorities of a webhook are read once the definition is established', () => {
  const trusting = (caBundle: string) => definition(webhook({ url: 'https://a.example.com', caBundle }, ['v1']));
  const [none, wrong] = [trusting(''), trusting(Buffer.from('x').toString('base64'))];
  assert.equal(createErrors(wrong), []);
  assert.equal(updateErrors(wrong, none), []);
  for (const each of [none, wrong]) each.status = { ...each.status, conditions: [{ type: 'Established', status: 'True' }] };
  assert.equal(updateErrors(wrong, wrong), []);
  assert.equal(updateErrors(wrong, none), [
    'spec.conversion.webhookClientConfig.caBundle: Invalid value: []byte{0x78}: unable to load root certificates: unable to parse bytes as PEM block',
  ]);
});

test('selectable fields stand beside the schema, above all versions or in one', () => {
  const selectableFields = [{ jsonPath: '.a' }];
  const of = (name: string, type: string, members: object) =>
    version({ name, storage: name === 'v1', schema: { openAPIV3Schema: { type: 'object', properties: { a: { type } } } }, ...members });
  assert.equal(errorsOf({ versions: [of('v1', 'string', { selectableFields }), of('v2', 'string', {})] }), [
    'spec.versions[0].selectableFields: Invalid value: "": selectableFields may only be set when version.schema.openAPIV3Schema is not included',
  ]);
  assert.equal(errorsOf({ versions: [of('v1', 'string', { selectableFields }), of('v2', 'integer', { selectableFields })] }), [
    'spec.selectableFields: Invalid value: "": selectableFields may only be set when validations.schema is included',
  ]);
});

test('the type at the root is looked at after references', () => {
  const of = (schema: object) =>
    errorsOf({ versions: [version({ subresources: { status: {} }, schema: { openAPIV3Schema: schema } })] })[0];
  const only = 'fields are allowed at the root of the schema if the status subresource is enabled';
  assert.match(of({ $ref: '#/x', type: 'array' }) ?? '', only);
  assert.match(of({ default: {}, type: 'array' }) ?? '', 'only "object" is allowed as the type at the root of the schema');
  assert.match(of({ default: {}, type: '' }) ?? '', only);
});

test('a schema of another notation is none', () => {
  assert.equal(errorsOf(schemaOf({ type: 'string', $schema: 'x' })), [
    `${ROOT}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`,
  ]);
});

/** path of a selectable field, what is wrong with it */
const selectable: [string, string | undefined][] = [
  ['.a', undefined],
  ['.map.x', undefined],
  ['a', 'is an invalid path: expected [ or . but got: a'],
  ['.', 'is an invalid path: unexpected end of JSON path'],
  ['.a.', 'is an invalid path: unexpected end of JSON path'],
  ['.b', 'is an invalid path: does not refer to a valid field'],
  ['.a.b', 'is an invalid path: does not refer to a valid field'],
  [".map['x']", 'is an invalid path: array notation is not allowed'],
  ['.metadata.name', 'must not point to fields in metadata'],
  ['.map', 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'],
];
for (const [jsonPath, problem] of selectable)
  test(`the selectable field ${jsonPath}`, () => {
    const text = { type: 'string' };
    const properties = {
      a: text,
      map: { type: 'object', additionalProperties: text },
      metadata: { type: 'object', properties: { name: text } },
    };
    const made = version({ schema: { openAPIV3Schema: { type: 'object', properties } }, selectableFields: [{ jsonPath }] });
    const shown = `spec.selectableFields[0].jsonPath: Invalid value: "${jsonPath}": `;
    assert.equal(errorsOf({ versions: [made] }), problem === undefined ? [] : [`${shown}${problem}`]);
  });

test('what the storage depends on does not change once the definition is established', () => {
  const old = definition({});
  const changed = definition({ scope: 'Cluster', names: { plural: 'things', kind: 'Other' } });
  assert.equal(updateErrors(changed, old), []);
  old.status = { ...old.status, conditions: [{ type: 'Established', status: 'True' }] };
  assert.equal(updateErrors(changed, old), [
    'spec.scope: Invalid value: "Cluster": field is immutable',
    'spec.names.kind: Invalid value: "Other": field is immutable',
  ]);
});

const APPROVAL = 'api-approved.kubernetes.io';
const AT = `metadata.annotations[${APPROVAL}]`;
const NEEDED = `protected groups must have approval annotation "${APPROVAL}"`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const MISSING = [`${AT}: Required value: ${NEEDED}, ${SEE}`];
const invalidApproval = (value: string): string[] => [
  `${AT}: Invalid value: ${JSON.stringify(value)}: ${NEEDED} with either a URL or a reason starting with "unapproved", ${SEE}`,
];

/** group, approval, that of the old definition or undefined for a new one, errors */
const approvals: [string, string, string | undefined, string[]][] = [
  ['a.example.com', '', undefined, []],
  ['notk8s.io', '', undefined, []],
  ['k8s.io', '', undefined, MISSING],
  ['a.kubernetes.io', '', undefined, MISSING],
  ['a.k8s.io', 'unapproved, experimental', undefined, []],
  ['a.k8s.io', 'https://a.example.com/1', undefined, []],
  ['a.k8s.io', '/path', undefined, invalidApproval('/path')],
  ['a.k8s.io', 'mailto:a@example.com', undefined, invalidApproval('mailto:a@example.com')],
  ['a.k8s.io', '', '', []],
  ['a.k8s.io', 'other nonsense', 'nonsense', []],
  ['a.k8s.io', 'nonsense', '', invalidApproval('nonsense')],
  ['a.k8s.io', '', 'https://a.example.com/1', MISSING],
];
for (const [group, value, old, expected] of approvals)
  test(`approval of ${group}: ${JSON.stringify(value)} after ${JSON.stringify(old)}`, () => {
    const withApproval = (text: string): ApiObject => {
      const made = definition({ group });
      made.metadata.annotations = text === '' ? {} : { [APPROVAL]: text };
      return made;
    };
    const found = old === undefined ? createErrors(withApproval(value)) : updateErrors(withApproval(value), withApproval(old));
    assert.equal(
      found.filter((line) => line.startsWith(AT)),
      expected,
    );
  });

test('a deletion waits until the objects are gone', () => {
  const made = definition({});
  made.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  rules.prepareForDeletion?.(made);
  assert.equal(made.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io']);
  assert.is(made.status.conditions[0].type, 'Terminating');
});

for (const dependency of [1, 'x', null, true])
  test(`a dependency that is ${JSON.stringify(dependency)} is none, and its keyword is refused`, () => {
    assert.equal(
      createErrors(
        definition({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', dependencies: { a: dependency } } } })] }),
      ),
      [`${ROOT}.dependencies: Forbidden: dependencies is not supported`],
    );
  });

const withRule = (rule: object): object => {
  const ruled = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', ...rule }] };
  const list = { type: 'array', items: { type: 'object', additionalProperties: ruled } };
  return { versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties: { list } } } })] };
};
const hasOptional = (made: ApiObject): boolean => JSON.stringify(made.spec).includes('optionalOldSelf');
const optionalRows: [string, string[], object | undefined, boolean][] = [
  ['a new definition, with the gate', [RATCHETING], undefined, true],
  ['a new definition', [], undefined, false],
  ['a definition that had none', [], {}, false],
  ['a definition that had some', [], { optionalOldSelf: false }, true],
];
for (const [name, gates, old, expected] of optionalRows)
  test(`optional former values within lists and maps: ${name}`, () => {
    const object = definition(withRule({ optionalOldSelf: true }));
    if (old === undefined) rules.prepareForCreate?.(object, ruleContext(...gates));
    else rules.prepareForUpdate?.(object, definition(withRule(old)), ruleContext(...gates));
    assert.is(hasOptional(object), expected);
  });

test.run();
