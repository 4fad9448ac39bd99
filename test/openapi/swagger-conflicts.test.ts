/** Documents of other servers in the one of all: what counts, and under which names. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memberText, memberValue } from '../../runtime/openapi/member-text.ts';
import { readSwagger, type SwaggerDocument, swaggerOf } from '../../runtime/openapi/remote-swagger.ts';
import { withRemotes } from '../../runtime/openapi/swagger-conflicts.ts';
import { mergedMembers, type SwaggerPart } from '../../runtime/openapi/swagger-part.ts';

type Some = Partial<Record<'paths' | 'definitions' | 'parameters', Record<string, object>>>;

const bytes = (members: Record<string, object> = {}) =>
  new Map(Object.entries(members).map(([name, value]) => [name, memberText(name, value)]));
const part = ({ paths, definitions, parameters }: Some): SwaggerPart => ({
  info: { title: 'Ours', version: '1' },
  members: { paths: bytes(paths), definitions: bytes(definitions), parameters: bytes(parameters), securityDefinitions: new Map() },
});
const remote = ({ paths = {}, definitions = {}, parameters = {} }: Some): SwaggerDocument =>
  ({ info: {}, paths, definitions, parameters }) as unknown as SwaggerDocument;

async function merged(own: Some, ...remotes: Some[]): Promise<Required<Some>> {
  const parts = await withRemotes([part(own)], remotes.map(remote));
  const all = (name: 'paths' | 'definitions' | 'parameters') =>
    Object.fromEntries(mergedMembers(parts, name).map(([key, text]) => [key, memberValue(key, text)]));
  return { paths: all('paths'), definitions: all('definitions'), parameters: all('parameters') };
}

const to = (name: string, of = 'definitions') => ({ $ref: `#/${of}/${name}` });
const KINDS = 'x-kubernetes-group-version-kind';
const kind = (group: string) => ({ group, kind: 'DeleteOptions', version: 'v1' });

const test = suite('Swagger documents of several servers');

test('a path that is there stays', async () => {
  const { paths } = await merged({ paths: { '/a': { own: {} } } }, { paths: { '/a': { other: {} }, '/b': { other: {} } } });
  assert.equal(paths, { '/a': { own: {} }, '/b': { other: {} } });
});

test('a document of nothing new adds nothing', async () => {
  const { definitions } = await merged({ paths: { '/a': {} } }, { paths: { '/a': {} }, definitions: { X: {} } });
  assert.equal(definitions, {});
});

test('a definition that says the same stands once, with the kinds of both', async () => {
  const { definitions } = await merged(
    { definitions: { X: { type: 'object', [KINDS]: [kind('b')] } } },
    { paths: { '/a': {} }, definitions: { X: { type: 'object', [KINDS]: [kind('b'), kind('a')] } } },
  );
  assert.equal(definitions, { X: { type: 'object', [KINDS]: [kind('a'), kind('b')] } });
});

test('one that says something else gets a name of its own, which all that refer to it use', async () => {
  const other = { paths: { '/b': { get: { schema: to('X') } } }, definitions: { X: { type: 'string' }, Y: { items: to('X') } } };
  const { paths, definitions } = await merged({ definitions: { X: { type: 'object' } } }, other);
  assert.equal(definitions, { X: { type: 'object' }, X_v2: { type: 'string' }, Y: { items: to('X_v2') } });
  assert.equal(paths['/b'], { get: { schema: to('X_v2') } });
});

test('a name that was given before is used again for the same, and another one where it is taken', async () => {
  const one = (path: string, type: string, more = {}) => ({ paths: { [path]: { s: to('X') } }, definitions: { X: { type }, ...more } });
  const { paths, definitions } = await merged(
    one('/a', 'object'),
    one('/b', 'string'),
    one('/c', 'string'),
    one('/d', 'number'),
    one('/e', 'boolean', { X_v4: { type: 'null' } }),
  );
  assert.equal(Object.fromEntries(Object.entries(definitions).map(([name, value]) => [name, (value as { type: string }).type])), {
    X: 'object',
    X_v2: 'string',
    X_v3: 'number',
    X_v4: 'null',
    X_v5: 'boolean',
  });
  assert.equal(
    [paths['/b'], paths['/c'], paths['/d'], paths['/e']],
    [{ s: to('X_v2') }, { s: to('X_v2') }, { s: to('X_v3') }, { s: to('X_v5') }],
  );
});

test('parameters are told apart as definitions are', async () => {
  const { paths, parameters } = await merged(
    { parameters: { limit: { type: 'integer' } } },
    { paths: { '/b': { parameters: [to('limit', 'parameters')] } }, parameters: { limit: { type: 'string' } } },
  );
  assert.equal(parameters, { limit: { type: 'integer' }, limit_v2: { type: 'string' } });
  assert.equal(paths['/b'], { parameters: [to('limit_v2', 'parameters')] });
});

test('what is read of a document is what is about a group version, and what nobody uses', async () => {
  const document = {
    paths: { '/apis/a/v1/x': { s: to('X') }, '/apis/a/v1beta1/y': { s: to('Y') }, '/apis/b/v1/z': { s: to('Z') } },
    definitions: { X: { p: to('Inner') }, Inner: {}, Y: { p: to('Inner') }, Z: {}, Unused: {}, broken: 1 },
  };
  const read = swaggerOf(await readSwagger(Buffer.from(JSON.stringify(document))), (path) => path.startsWith('/apis/a/v1/'));
  assert.equal([Object.keys(read.paths), Object.keys(read.definitions)], [['/apis/a/v1/x'], ['X', 'Inner', 'Unused']]);
});

test('whatever a server says, all that is referred to in what is merged is there', async () => {
  const names = fc.constantFrom('X', 'Y', 'X_v2');
  const schema = fc.record({ type: fc.constantFrom('a', 'b'), items: names.map((name) => to(name)) });
  const definitions = fc.record({ X: schema, Y: schema, X_v2: schema });
  const document = fc
    .tuple(fc.constantFrom('/a', '/b', '/c', '/d'), definitions)
    .map(([path, all]) => ({ paths: { [path]: { s: to('X') } }, definitions: all }));
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 4 }), async ([first, ...others]) => {
      const all = await merged(first as Some, ...others);
      for (const [, target] of JSON.stringify(all).matchAll(/"#\/definitions\/([^"]+)"/g))
        assert.ok((target as string) in all.definitions, target);
      const [path, item] = Object.entries((first as Some).paths ?? {})[0] as [string, object];
      assert.equal(all.paths[path], item);
    }),
  );
});

test.run();
