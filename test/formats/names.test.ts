import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { labelValue, qualifiedName } from '../../runtime/formats/labels.ts';
import { dns1035Label, dnsLabel, dnsSubdomain, generateNameMessages, pathSegment } from '../../runtime/formats/names.ts';

const test = suite('names');

const long = 'a'.repeat(64);
const good: [string, (value: string) => readonly string[], string[]][] = [
  ['DNS labels', dnsLabel, ['a', '0', 'a-b', 'a'.repeat(63)]],
  ['DNS subdomains', dnsSubdomain, ['a', 'a.b', '1.2-3.c', 'a'.repeat(253)]],
  ['labels that begin with a letter', dns1035Label, ['a', 'a1', 'a-1']],
  ['values of labels', labelValue, ['', 'A', 'a_b.c-d', 'a'.repeat(63)]],
  ['keys of labels', qualifiedName, ['a', 'A.b_c-d', 'example.com/a', `${'a'.repeat(253)}/b`]],
  ['segments of paths', pathSegment, ['', 'a b', 'system:x', '...']],
];
for (const [what, check, values] of good)
  for (const value of values) test(`${what}: ${JSON.stringify(value.slice(0, 12))} is one`, () => assert.equal(check(value), []));

const bad: [string, (value: string) => readonly string[], [string, number][]][] = [
  [
    'DNS label',
    dnsLabel,
    [
      ['', 1],
      ['A', 1],
      ['-a', 1],
      ['a-', 1],
      ['a.b', 1],
      [long, 1],
      [`${long}_`, 2],
    ],
  ],
  [
    'DNS subdomain',
    dnsSubdomain,
    [
      ['', 1],
      ['A', 1],
      ['a..b', 1],
      ['.a', 1],
      ['a_b', 1],
      ['a'.repeat(254), 1],
    ],
  ],
  [
    'label that begins with a letter',
    dns1035Label,
    [
      ['1a', 1],
      ['', 1],
    ],
  ],
  [
    'value of a label',
    labelValue,
    [
      ['-', 1],
      ['a b', 1],
      [long, 1],
    ],
  ],
  [
    'key of a label',
    qualifiedName,
    [
      ['', 2],
      ['/a', 1],
      ['a/', 2],
      ['a/b/c', 1],
      ['A_/b', 1],
      ['a b', 1],
      [long, 1],
    ],
  ],
  [
    'segment of a path',
    pathSegment,
    [
      ['.', 1],
      ['..', 1],
      ['a/b', 1],
      ['a%', 1],
      ['/%', 2],
    ],
  ],
];
for (const [what, check, values] of bad)
  for (const [value, count] of values)
    test(`${what}: ${JSON.stringify(value.slice(0, 12))} is none`, () => assert.is(check(value).length, count));

test('a name with dots is said to have dots', () => assert.equal(dnsLabel('a.b'), ['must not contain dots']));

test('the sentences name the pattern and examples', () =>
  assert.equal(dnsLabel('A'), [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  ]));

test('lengths count bytes', () => assert.ok(labelValue('é'.repeat(32))[0]?.includes('no more than 63')));

test('a base of generated names may end in a dash', () => {
  assert.equal(generateNameMessages('a-', 'dnsSubdomain'), []);
  assert.is(generateNameMessages('a_b-', 'dnsSubdomain').length, 1);
  assert.is(generateNameMessages('é-', 'dnsSubdomain').length, 1);
  assert.equal(generateNameMessages('.', 'pathSegment'), []);
});

test('every label is a subdomain, every subdomain with a key makes a qualified name', () =>
  fc.assert(
    fc.property(fc.string({ maxLength: 70 }), (text) => {
      if (dnsLabel(text).length === 0) assert.equal(dnsSubdomain(text), []);
      if (dnsSubdomain(text).length === 0) assert.equal(qualifiedName(`${text}/key`), []);
    }),
  ));

test.run();
