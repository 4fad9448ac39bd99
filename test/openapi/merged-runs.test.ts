/** Long documents of other servers in the one of all: merged elsewhere, they stand in it as those do that are merged here. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BodyPieces } from '../../runtime/connections/body-pieces.ts';
import type { OpenapiDocument } from '../../runtime/openapi/document.ts';
import { openapiV3 } from '../../runtime/openapi/gnostic/openapi-v3.ts';
import { mergedRuns } from '../../runtime/openapi/merged-runs.ts';
import { MergedSwagger } from '../../runtime/openapi/merged-swagger.ts';
import type { MergeElsewhere, RemoteV2 } from '../../runtime/openapi/remote-documents.ts';
import { readRemote } from '../../runtime/openapi/remote-reading.ts';
import { ServedDocument } from '../../runtime/openapi/served-document.ts';

type Members = Record<string, object>;

/** More than is merged here. */
const LONG = 'x'.repeat(64 * 1024);
const ABOUT = { version: '/apis/a/v1' };

const operation = (definition: string) => ({
  get: { operationId: 'get', responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${definition}` } } } },
});
const remote = (paths: Members, definitions: Members, about = ABOUT): RemoteV2 => {
  const body = Buffer.from(JSON.stringify({ paths, definitions }));
  const { document, digest } = readRemote({ body, versions: [about] });
  return { hash: digest, document: document as Uint8Array, about };
};
function own(schemas: Members): ServedDocument[] {
  const document = { openapi: '3.0.0', info: { title: 'Ours', version: '1' }, paths: { '/apis/c/': {} }, components: { schemas } };
  return [new ServedDocument({ json: async () => Buffer.from(JSON.stringify(document as unknown as OpenapiDocument)), table: openapiV3 })];
}
const bytes = async (body: Promise<BodyPieces>): Promise<Buffer> => Buffer.concat((await body).pieces);
const elsewhere: MergeElsewhere = async (order) => mergedRuns(order);

const test = suite('merged elsewhere');

test('is what is merged here', async () => {
  const name = fc.constantFrom('A', 'B', 'B_v2', 'C');
  const type = fc.constantFrom('string', 'object');
  const kinds = fc.constantFrom({}, { 'x-kubernetes-group-version-kind': [{ group: 'g', version: 'v1', kind: 'K' }] });
  const definitions = fc.dictionary(
    name,
    fc.tuple(type, kinds).map(([of, more]) => ({ type: of, ...more })),
  );
  const path = fc.constantFrom('', '/a', '/b', '/c').map((end) => `${ABOUT.version}${end}`);
  const document = fc.tuple(fc.dictionary(path, name.map(operation), { minKeys: 1 }), definitions);
  await fc.assert(
    fc.asyncProperty(definitions, fc.array(document, { minLength: 1, maxLength: 3 }), async (ours, others) => {
      const long: [Members, Members] = [{ [`${ABOUT.version}/long`]: { get: { description: LONG, responses: {} } } }, {}];
      const remotes = [...others, long].map(([paths, theirs]) => remote(paths, theirs));
      const of = (merge?: MergeElsewhere) =>
        new MergedSwagger(
          async () => own(ours),
          async () => remotes,
          merge,
        );
      assert.equal(JSON.parse((await bytes(of(elsewhere).json())).toString()), JSON.parse((await bytes(of().json())).toString()));
      assert.ok((await bytes(of(elsewhere).json())).equals(await bytes(of().json())));
      assert.ok((await bytes(of(elsewhere).protobuf())).equals(await bytes(of().protobuf())));
    }),
    { numRuns: 30 },
  );
});

test('versions of one server have its document in common', async () => {
  const paths = { '/apis/a/v1/x': operation('A'), '/apis/a/v2/y': operation('B') };
  const versions = ['v1', 'v2'].map((version) => ({ version: `/apis/a/${version}` }));
  const body = Buffer.from(JSON.stringify({ paths, definitions: { A: { type: 'object', description: LONG }, B: {} } }));
  const { document } = readRemote({ body, versions });
  const remotes = versions.map((about) => ({ hash: '', document: document as Uint8Array, about }));
  const merged = (of: readonly RemoteV2[]) =>
    bytes(
      new MergedSwagger(
        async () => own({}),
        async () => of,
        elsewhere,
      ).json(),
    );
  const all = JSON.parse((await merged(remotes)).toString());
  assert.equal(
    [Object.keys(all.paths), Object.keys(all.definitions)],
    [
      ['/apis/a/v1/x', '/apis/a/v2/y', '/apis/c/'],
      ['A', 'B'],
    ],
  );
  const second = JSON.parse((await merged(remotes.slice(1))).toString());
  assert.equal([Object.keys(second.paths), Object.keys(second.definitions)], [['/apis/a/v2/y', '/apis/c/'], ['B']]);
});

test('is merged once for each form, also where the set of documents is another one that says the same', async () => {
  const remotes = [remote({ [`${ABOUT.version}/`]: { get: { description: LONG, responses: {} } } }, {})];
  let count = 0;
  const counted: MergeElsewhere = (order, size) => {
    count++;
    return elsewhere(order, size);
  };
  const bodies = {};
  const of = (schemas: Members) =>
    new MergedSwagger(
      async () => own(schemas),
      async () => [...remotes],
      counted,
      { bodies },
    );
  for (let i = 0; i < 3; i++) await Promise.all([of({}).json(), of({}).protobuf()]);
  assert.is(count, 2);
  await of({ A: {} }).json();
  assert.is(count, 3);
});

test('that takes more than it may leaves what this server has itself', async () => {
  const remotes = [remote({ [`${ABOUT.version}/`]: { get: { description: LONG, responses: {} } } }, {})];
  const failing: MergeElsewhere = () => Promise.reject(new Error('too much'));
  const body = await bytes(
    new MergedSwagger(
      async () => own({}),
      async () => remotes,
      failing,
    ).json(),
  );
  assert.equal(Object.keys(JSON.parse(body.toString()).paths), ['/apis/c/']);
});

test.run();
