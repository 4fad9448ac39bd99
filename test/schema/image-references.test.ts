import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { imageVersion } from '../../runtime/schema/image-references.ts';

const test = suite('names of images');

const SHA256 = `sha256:${'0a'.repeat(32)}`;
const rows: readonly [reference: string, tag: string | undefined, digest?: string][] = [
  ['nginx', 'latest'],
  ['team/app', 'latest'],
  ['nginx:1.27', '1.27'],
  ['nginx:Alpine_3', 'Alpine_3'],
  ['registry.example/team/app', 'latest'],
  ['registry.example:5000/app', 'latest'],
  ['registry.example:5000/app:1', '1'],
  ['localhost/app', 'latest'],
  ['UPPER/app', 'latest'],
  ['[2001:db8::1]:5000/app:1', '1'],
  ['a/b__c-d.e', 'latest'],
  ['10.0.0.999', 'latest'],
  ['../up', undefined],
  ['a..b', undefined],
  [`nginx@${SHA256}`, '', SHA256],
  [`nginx:latest@${SHA256}`, 'latest', SHA256],
  ['nginx@sha256:0123', undefined],
  [`nginx:latest@a+${SHA256}`, undefined],
  [`nginx:latest@${SHA256}0a`, undefined],
  [`nginx@sha999:${'0'.repeat(64)}`, undefined],
  [`nginx@sha512:${'0'.repeat(64)}`, undefined],
  ['0a'.repeat(32), undefined],
  ['', undefined],
  ['Nginx', undefined],
  ['registry.example/App', undefined],
  ['nginx:', undefined],
  [`nginx:${'a'.repeat(129)}`, undefined],
  ['a'.repeat(247), 'latest'],
  ['a'.repeat(248), undefined],
  [`registry.example/${'a'.repeat(255)}`, 'latest'],
  [' nginx', undefined],
  ['-a', undefined],
  ['a__b', 'latest'],
  ['a___b', undefined],
  ['/abs/path', undefined],
  ['a//b', undefined],
  ['é', undefined],
];
for (const [reference, tag, digest = ''] of rows)
  test(`${JSON.stringify(reference)} ${tag === undefined ? 'is none' : `is of version ${tag}${digest}`}`, () =>
    assert.equal(imageVersion(reference), tag === undefined ? undefined : { tag, digest }));

test.run();
