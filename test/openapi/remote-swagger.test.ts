import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isAbout, readSwagger, swaggerOf } from '../../runtime/openapi/remote-swagger.ts';

const test = suite('documents of other servers');
/** More than a call may have arguments. */
const MANY = 200_000;
const read = (document: object) => readSwagger(Buffer.from(JSON.stringify(document)));

test('one of very many paths has those that are wanted', async () => {
  const all = await read({ paths: Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`/apis/a/v1/${i}`, {}])) });
  assert.equal(Object.keys(swaggerOf(all, (path) => path === '/apis/a/v1/7').paths), ['/apis/a/v1/7']);
});

test('one with a very long list has what is behind it', async () => {
  const schema = { enum: Array.from({ length: MANY }, () => 'x'), items: { $ref: '#/definitions/used' } };
  const all = await read({ paths: { '/apis/a/v1/': { schema }, '/apis/b/v1/': {} }, definitions: { used: {}, free: {} } });
  const definitions = (prefix: string) => Object.keys(swaggerOf(all, (path) => path.startsWith(prefix)).definitions);
  assert.equal(definitions('/apis/a/'), ['used', 'free']);
  assert.equal(definitions('/apis/b/'), ['free']);
});

test('a group version has what stands below it, and not the page of its group', () => {
  const about = { version: '/apis/a/v1' };
  const paths = ['/apis/a/v1/x', '/apis/a/v1/', '/apis/a/v1', '/apis/a/', '/apis/a/v1beta1/x', '/apis/'];
  assert.equal(
    paths.filter((path) => isAbout(about, path)),
    ['/apis/a/v1/x', '/apis/a/v1/'],
  );
});

test.run();
