import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ruleContext } from '../context.ts';
import { rowOf } from '../kind.ts';
import { testKind } from './kinds.ts';

const test = suite('config maps, secrets, service accounts');
const secrets = await testKind('Secret');
const configMaps = await testKind('ConfigMap');
const accounts = await testKind('ServiceAccount');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const MIB = 1024 * 1024;

test('texts of a secret go over into its data, sorted', () => {
  const object = secrets.make({ data: { b: base64('1'), z: base64('2') }, stringData: { b: 'x', a: 'y', ['__proto__']: 'p' } });
  assert.equal(Object.entries(object.data), [
    ['__proto__', base64('p')],
    ['a', base64('y')],
    ['b', base64('x')],
    ['z', base64('2')],
  ]);
  assert.is(object.stringData, undefined);
  assert.is(object.type, 'Opaque');
});

const secretRows: [string, object, string[]][] = [
  ['nothing', {}, []],
  [
    'a bad key',
    { data: { 'a/b': '' } },
    [
      "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    ],
  ],
  ['keys that a path would take amiss', { data: { '..a': '' } }, ['data[..a]: Invalid value: "..a": must not start with \'..\'']],
  ['as much as there may be', { data: { a: Buffer.alloc(MIB).toString('base64') } }, []],
  [
    'more than there may be',
    { data: { a: Buffer.alloc(MIB + 1).toString('base64') } },
    ['data: Too long: may not be more than 1048576 bytes'],
  ],
  [
    'a token without an account',
    { type: 'kubernetes.io/service-account-token' },
    ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
  ],
  ['a certificate without a key', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }, ['data[tls.key]: Required value']],
  [
    'neither a user nor a password',
    { type: 'kubernetes.io/basic-auth' },
    ['data[username]: Required value', 'data[password]: Required value'],
  ],
  ['a user without a password', { type: 'kubernetes.io/basic-auth', data: { username: '' } }, []],
  ['an empty key', { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } }, ['data[ssh-privatekey]: Required value']],
  ...(
    [
      ['{', 'unexpected end of JSON input'],
      ['', 'unexpected end of JSON input'],
      ['not json', "invalid character 'o' in literal null (expecting 'u')"],
      ['x', "invalid character 'x' looking for beginning of value"],
      ['{} x', "invalid character 'x' after top-level value"],
      ['{a: 1}', "invalid character 'a' looking for beginning of object key string"],
      ['[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
      ['"a"', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
      ['1.0', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
      ['true', 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
    ] as const
  ).map(([text, problem]): [string, object, string[]] => [
    `a configuration that is not an object: ${text}`,
    { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64(text) } },
    [`data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ${problem}`],
  ]),
  ['a configuration', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('{}') } }, []],
  ['a type of another', { type: 'example.com/x' }, []],
];
for (const [name, members, expected] of secretRows) test(`secrets: ${name}`, () => assert.equal(secrets.errors(members), expected));

const IMMUTABLE = 'field is immutable when `immutable` is set';
const changes: [string, object, object, string[]][] = [
  ['another type', { type: 'a/b' }, { type: 'c/d' }, ['type: Invalid value: "a/b": field is immutable']],
  [
    'of one that was made immutable',
    { data: { a: base64('1') } },
    { immutable: true },
    [`immutable: Forbidden: ${IMMUTABLE}`, `data: Forbidden: ${IMMUTABLE}`],
  ],
  ['that makes it immutable', { immutable: true, data: { a: base64('1') } }, {}, []],
];
for (const [name, members, old, expected] of changes)
  test(`secrets: a change ${name}`, () => assert.equal(secrets.changeErrors(members, old), expected));

const mapRows: [string, object, string[]][] = [
  ['nothing', {}, []],
  [
    'one key in both',
    { data: { a: '1' }, binaryData: { a: 'AA==' } },
    ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
  ],
  ['a key that all objects inherit', { data: { constructor: '1' } }, []],
  [
    'more than there may be, of both together',
    { data: { a: 'x'.repeat(MIB) }, binaryData: { b: 'AA==' } },
    ['[]: Too long: may not be more than 1048576 bytes'],
  ],
];
for (const [name, members, expected] of mapRows) test(`config maps: ${name}`, () => assert.equal(configMaps.errors(members), expected));

test('config maps: one that was made immutable', () =>
  assert.equal(configMaps.changeErrors({ immutable: true, binaryData: { a: 'AA==' } }, { immutable: true }), [
    `binaryData: Forbidden: ${IMMUTABLE}`,
  ]));

test('config maps: cells count both kinds of data', async () =>
  assert.equal(await rowOf(configMaps.make({ data: { a: '1' }, binaryData: { b: 'AA==' } }), 0), ['x', 2, '<unknown>']));

test('service accounts: references to secrets are names', async () => {
  const object = accounts.make({ secrets: [{ name: 's', namespace: 'other', kind: 'Secret' }] });
  await accounts.rules.prepareForCreate?.(object, ruleContext());
  assert.equal(object.secrets, [{ name: 's' }]);
});

test('service accounts: warns of an annotation that is going', () => {
  const object = accounts.make({}, { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } });
  assert.is(accounts.rules.warnings?.(object, undefined, ruleContext()).length, 1);
  assert.equal(accounts.rules.warnings?.(accounts.make(), undefined, ruleContext()), []);
  assert.is(accounts.rules.warnings?.(object, accounts.make(), ruleContext()).length, 1);
  assert.equal(accounts.rules.warnings?.(object, object, ruleContext()), []);
});

test.run();
