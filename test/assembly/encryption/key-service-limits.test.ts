/** What key management services may answer, and what may be stored of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EncryptedObject } from '../../../generated/node-interfaces/key-management.ts';
import { encryptedObjectProblem, keyIdProblems } from '../../../runtime/assembly/encryption/key-service-limits.ts';

const test = suite('limits of what key management services answer');

const problemOf = (changes: Partial<EncryptedObject>): string | undefined =>
  encryptedObjectProblem({
    encryptedData: Uint8Array.of(0),
    encryptedDEKSource: Uint8Array.of(1, 2, 3),
    encryptedDEKSourceType: 1,
    keyID: '1',
    annotations: [],
    ...changes,
  });

const objects: readonly (readonly [name: string, changes: Partial<EncryptedObject>, problem: string | undefined])[] = [
  ['one that is right', {}, undefined],
  ['one of a key', { encryptedDEKSourceType: 0 }, undefined],
  ['no data', { encryptedData: new Uint8Array() }, 'encrypted data is empty'],
  ['another type of source', { encryptedDEKSourceType: 55 }, 'unknown encryptedDEKSourceType: 55'],
  ['no source', { encryptedDEKSource: new Uint8Array() }, 'failed to validate encrypted DEK source: encrypted DEK source is empty'],
  [
    'a source that is too long',
    { encryptedDEKSource: new Uint8Array(1_025) },
    'failed to validate encrypted DEK source: encrypted DEK source is 1025 bytes, which exceeds the max size of 1024',
  ],
  ['no key', { keyID: '' }, 'failed to validate key id: keyID is empty'],
];
for (const [name, changes, problem] of objects) test(name, () => assert.is(problemOf(changes), problem));

test('identifiers of keys', () => {
  assert.equal(keyIdProblems('1234'), []);
  assert.equal(keyIdProblems(''), ['keyID is empty']);
  assert.equal(keyIdProblems('a'.repeat(1_025)), ['keyID is 1025 bytes, which exceeds the max size of 1024']);
});

const annotated = (...notes: readonly (readonly [key: string, bytes: number])[]): string | undefined =>
  problemOf({ annotations: notes.map(([key, bytes]) => ({ key, value: new Uint8Array(bytes) })) });

const LONG = ['a', 'b', 'c'].map((letter) => letter.repeat(63)).join('.');
const rightNames = [
  'a.com',
  'dev.example.com',
  'dev.example.com.',
  'this.is.a.really.long.fqdn',
  '10.0.0.1',
  'hyphens-are-good.example.com',
  `${'a'.repeat(63)}.example.com`,
  `${LONG}.${'d'.repeat(54)}.x.com`,
];
for (const name of rightNames) test(`an annotation ${name.slice(0, 70)}`, () => assert.is(annotated([name, 3]), undefined));

const SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters';
const wrongNames: readonly (readonly [name: string, problem: string])[] = [
  ['', 'Required value'],
  ...['.', '...', '.io', '.com', 'Dev.example.com', '.foo.example.com', '*.example.com', '*.foo.bar.com', 'under_scores.example.com'].map(
    (name) => [name, SUBDOMAIN] as const,
  ),
  ['foo@bar.example.com', SUBDOMAIN],
  ['http://foo.example.com', SUBDOMAIN],
  ['com', 'should be a domain with at least two segments separated by dots'],
  [`${'a'.repeat(64)}.example.com`, `Invalid value: "${'a'.repeat(64)}": must be no more than 63 characters`],
  [`${LONG}.${'d'.repeat(56)}.x.com`, 'must be no more than 253 characters'],
];
for (const [name, problem] of wrongNames)
  test(`no annotation ${name.slice(0, 70)}`, () => {
    const found = annotated([name, 3]) ?? '';
    assert.match(found, 'failed to validate annotations: annotations: ');
    assert.match(found, problem);
  });

for (const [name, ...notes] of [
  ['a value', ['a.b', 33 * 1_024]],
  ['its key and value', ['a.b', 32 * 1_024]],
  ['all together', ['a.b', 31 * 1_024], ['a.c', 1_024]],
] as const)
  test(`annotations that are too long: ${name}`, () => assert.match(annotated(...notes) ?? '', 'which exceeds the max size of 32768'));

test.run();
