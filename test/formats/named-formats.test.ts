import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Notation } from '../../runtime/contract/field-error.ts';
import {
  type FormatName,
  formats,
  type JoinedFormatName,
  joinedFormats,
  numberFormats,
  numberOrTextFormats,
} from '../../runtime/formats/named-formats.ts';

const test = suite('named formats');

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

const rows: Readonly<Record<FormatName, readonly [right: readonly string[], wrong: readonly string[]]>> = {
  dnsLabel: [['a-1'], ['a.b', 'A', '']],
  dnsSubdomain: [['a.b'], ['a..b', '']],
  dnsSubdomainOfAnyCase: [['A.b'], ['A..b', '']],
  dnsSubdomainOrAll: [
    ['a.b', '*'],
    ['*.a', '**', ''],
  ],
  dns1035Label: [['a1'], ['1a', '']],
  hostPattern: [
    ['*.a.b', 'a.b'],
    ['*', 'a.*', '**.a', 'A'],
  ],
  notAnAddress: [
    ['a.b', ''],
    ['1.2.3.4', '::1'],
  ],
  pathSegment: [['a b'], ['..', 'a/b']],
  qualifiedName: [['a.b/C_d'], ['a/b/c', 'A/b', '']],
  labelKey: [['a.b/C_d'], ['a/', '']],
  labelValue: [
    ['', 'A_b'],
    ['-', 'a b'],
  ],
  annotationKey: [['A.b/C'], ['_/a', '']],
  configMapKey: [['A_b.c'], ['..a', 'a/b', '']],
  environmentName: [['a b'], ['a=', '']],
  strictEnvironmentName: [['-a.B_9'], ['a b', '9a', '..a', '']],
  httpHeaderName: [['X-A'], ['X_A', '']],
  celIdentifier: [['a_1'], ['1', 'while']],
  cIdentifier: [['_a1'], ['1a', 'a-b', '']],
  conditionReason: [['A:b_'], ['A:', '1', '']],
  portName: [['http-2'], ['80', 'a--b', '']],
  hostPortPairs: [
    ['a:1', ':', 'a:1,[::1]:2'],
    ['a', 'a:1,b', 'a:1:2', ''],
  ],
  ip: [
    ['1.2.3.4', '01.2.3.4', '::1'],
    ['1.2.3', 'fe80::1%a', ''],
  ],
  ipv4: [
    ['1.2.3.4', '::ffff:1.2.3.4'],
    ['::1', ''],
  ],
  ipv6: [['::1'], ['1.2.3.4', '']],
  ordinaryIp: [['1.2.3.4'], ['127.0.0.1', '::', '']],
  canonicalIp: [
    ['1.2.3.4', '2001:db8::1'],
    ['01.2.3.4', '2001:DB8::1', ''],
  ],
  cidr: [
    ['1.2.3.4/8', '::/0'],
    ['1.2.3.4', '1.2.3.4/33', ''],
  ],
  canonicalCidr: [['10.0.0.0/8'], ['10.0.0.1/8', 'FD00::/8', '']],
  duration: [
    ['1h30m', '-1s', '0'],
    ['5', '1y', ''],
  ],
  durationNotNegative: [
    ['0s', '1h30m'],
    ['-1s', '1y', ''],
  ],
  positiveDuration: [
    ['1ms', '1h30m'],
    ['0s', '-1s', '1y', ''],
  ],
  quantity: [
    ['1', '1.5Gi', '-2m', '1e3'],
    ['1ki', '1 Gi', ''],
  ],
  amountNotNegative: [['0', '1m'], ['-1']],
  positiveAmount: [['1m'], ['0', '-1']],
  percent: [
    ['0%', '150%'],
    ['1', '1.5%', ''],
  ],
  absolutePath: [['/a/../b'], ['a', '']],
  pathWithoutBacksteps: [['/a/..b'], ['a/..']],
  relativePath: [['a/..b'], ['/a', 'a/../b']],
  unreservedPath: [['a'], ['..a', '../a', '/a']],
  subdomainPath: [
    ['', '/', '/a/b.c/'],
    ['a', '//', '/a//b', '/A'],
  ],
  nonResourcePath: [
    ['/a', '/a/*'],
    ['', 'a', '/a b', '/a//b', '/a*', '/*/a/*'],
  ],
  cron: [
    ['* * * * *', '@hourly'],
    ['* * * *', '61 * * * *', ''],
  ],
  timeZone: [
    ['UTC', 'Europe/Vienna'],
    ['Mars/Base', 'Local', ''],
  ],
  plainHttpsUrl: [['https://a.b/c'], ['http://a', 'https://u@a', 'https://a?b', 'https://a#b', ':']],
  semanticVersion: [['1.2.3-a.1+b'], ['1.2', 'v1.2.3', '01.2.3', '']],
  apiVersion: [
    ['v1', 'a.b/v1'],
    ['/v1', 'a/b/c', ''],
  ],
  uuid: [['0189f7ea-ae2c-7f2f-8b1a-0123456789ab'], ['0189F7EA-AE2C-7F2F-8B1A-0123456789AB', '0189f7ea', '']],
  windowsUserName: [
    ['Administrator', 'DOMAIN\\user'],
    ['', 'a\\b\\c', '..', 'a/b'],
  ],
};
for (const [name, [right, wrong]] of Object.entries(rows)) {
  const check = formats[name as FormatName];
  for (const value of right) test(`${name}: ${JSON.stringify(value)}`, () => assert.equal(check(value), []));
  for (const value of wrong) test(`${name}: not ${JSON.stringify(value)}`, () => assert.ok(check(value).length > 0));
}
test('all have rows', () => assert.equal(Object.keys(rows), Object.keys(formats)));

const DOMAIN = "runAsUserName's Domain";
const USER = "runAsUserName's User";
const messages: readonly (readonly [name: FormatName, value: string, ...messages: string[]])[] = [
  ['uuid', 'x0189f7ea-ae2c-7f2f-8b1a-0123456789ab', 'must be a lowercase UUID in 8-4-4-4-12 format'],
  ['uuid', '0189f7ea-ae2c-7f2f-8b1a-0123456789abc', 'must be a lowercase UUID in 8-4-4-4-12 format'],
  ['percent', 'x1%', PERCENT],
  ['percent', '1%%', PERCENT],
  ['absolutePath', 'a', 'must be an absolute path'],
  ['relativePath', '/a/..', 'must be a relative path', "must not contain '..'"],
  ['unreservedPath', '..a/..', "must not contain '..'", "must not start with '..'"],
  ['unreservedPath', '../a', "must not contain '..'"],
  ['subdomainPath', '//', 'segment[0] may not be empty'],
  ['subdomainPath', '/a//b/', 'segment[1] may not be empty'],
  ['subdomainPath', 'xa', "must start with a '/'"],
  ['nonResourcePath', '', 'must not be empty'],
  ['nonResourcePath', 'a', 'must start with slash'],
  ['nonResourcePath', '/ //*a', 'must not contain white-space'],
  ['nonResourcePath', '//*a', 'must not contain double slash'],
  ['nonResourcePath', '/*/*', 'wildcard can only do suffix matching'],
  ['nonResourcePath', '/a*', 'wildcard can only do suffix matching'],
  ['positiveAmount', '0', 'must be greater than zero'],
  ['amountNotNegative', '-1m', 'must be greater than or equal to 0'],
  ['positiveDuration', '0s', 'must be greater than zero'],
  ['durationNotNegative', '-1ns', 'must not be negative'],
  [
    'plainHttpsUrl',
    'http://u:p@a?b#c',
    'URL scheme must be https',
    'URL must not contain a username or password',
    'URL must not contain a query',
    'URL must not contain a fragment',
  ],
  ['semanticVersion', '1.2', 'must be a valid semantic version'],
  ['apiVersion', '/', 'group part: must be non-empty', 'version part: must be non-empty'],
  ['windowsUserName', `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}\\e`],
  ['windowsUserName', `${'a'.repeat(16)}\\${'b'.repeat(104)}`],
  ['windowsUserName', 'a_b\\c'],
  ['windowsUserName', '', 'runAsUserName cannot be an empty string'],
  ['windowsUserName', 'a\tb', 'runAsUserName cannot contain control characters'],
  ['windowsUserName', 'a\\b\\c', 'runAsUserName cannot contain more than one backslash'],
  ['windowsUserName', `${'a.'.repeat(127)}bc\\d`, `${DOMAIN} length must be under 256 characters`],
  ['windowsUserName', `${'\u{1f600}'.repeat(15)}\\a`],
  [
    'windowsUserName',
    `${'\u00e9'.repeat(128)}\\a`,
    `${DOMAIN} length must be under 256 characters`,
    `${DOMAIN} doesn't match the NetBios nor the DNS format`,
  ],
  ['windowsUserName', '.a\\', `${DOMAIN} doesn't match the NetBios nor the DNS format`, `${USER} cannot be empty`],
  ['windowsUserName', `${'a'.repeat(16)}_\\b`, `${DOMAIN} doesn't match the NetBios nor the DNS format`],
  ['windowsUserName', 'a'.repeat(105), `${USER} length must not be longer than 104 characters`],
  ['windowsUserName', '. .', `${USER} cannot contain only periods or spaces`],
  ['windowsUserName', 'a.'],
  ['windowsUserName', 'a[b', `${USER} cannot contain the following characters: "/\\:;|=,+*?<>@[]`],
];
for (const [name, value, ...expected] of messages)
  test(`${name} says of ${JSON.stringify(value)}`, () => assert.equal(formats[name](value), expected));

test('none throws, and each finding is a sentence', () =>
  fc.assert(
    fc.property(fc.constantFrom(...(Object.keys(formats) as FormatName[])), fc.string({ unit: 'binary', maxLength: 80 }), (name, text) =>
      assert.ok(formats[name](text).every((message) => message.length > 0)),
    ),
  ));

test('what is right takes no new list', () => {
  for (const [name, [[value = '']]] of Object.entries(rows))
    assert.is(formats[name as FormatName](value), formats[name as FormatName](value), name);
});

test('port numbers', () => {
  assert.equal(numberFormats.portNumber(80), []);
  assert.equal(numberFormats.portNumber(0), ['must be between 1 and 65535, inclusive']);
});

const numbersOrTexts: [keyof typeof numberOrTextFormats, number | string, string[]][] = [
  ['portNumberOrName', 65_536, ['must be between 1 and 65535, inclusive']],
  ['portNumberOrName', 'http', []],
  ['portNumberOrName', '80', ['must contain at least one letter (a-z)']],
];
for (const [name, value, messages] of numbersOrTexts)
  test(`${name}: ${JSON.stringify(value)}`, () => assert.equal(numberOrTextFormats[name](value), messages));

const inGo = (type: number, number: number, text: string): Notation =>
  new Notation(`intstr.IntOrString{Type:${type}, IntVal:${number}, StrVal:${text}}`);
const parts: [JoinedFormatName, string | number, unknown[]][] = [
  ['intOrPercent', 0, []],
  ['intOrPercent', '101%', []],
  ['intOrPercent', -1, [-1]],
  ['intOrPercent', '1', [inGo(1, 0, '"1"')]],
  ['intOrPercent', '\u001b', [inGo(1, 0, '"\\x1b"')]],
  ['atMostAll', 101, []],
  ['atMostAll', '100%', []],
  ['atMostAll', '101%', [inGo(1, 0, '"101%"')]],
  ['domainPrefixedPath', 'a.b/c/d', []],
  ['domainPrefixedPath', 'a', ['a']],
  ['domainPrefixedPath', '/a', ['/a']],
  ['domainPrefixedPath', 'a/', ['a/']],
  ['domainPrefixedPath', 'A/b c', ['A', 'b c']],
  ['slashedSubdomains', 'a/b.c', []],
  ['slashedSubdomains', 'a//B', ['', 'B']],
  ['qualifiedNameOfAnyCase', 'Example.com/A', []],
  ['qualifiedNameOfAnyCase', 'A B', ['a b']],
];
for (const [name, value, wrong] of parts)
  test(`${name}: ${JSON.stringify(value)}`, () =>
    assert.equal(
      joinedFormats[name](value as never).map(({ part }) => part),
      wrong,
    ));

test.run();
