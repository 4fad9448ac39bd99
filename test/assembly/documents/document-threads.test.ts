import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DocumentThreads } from '../../../runtime/assembly/documents/document-threads.ts';

const test = suite('the thread for documents of other servers');
const ABOUT = { version: '/apis/a/v1' };
const swagger = (members: object) => Buffer.from(JSON.stringify(members));

function threads(longest?: number) {
  const warned: string[] = [];
  const log = { warn: (_: object, message: string) => void warned.push(message) };
  return { thread: new DocumentThreads(log, undefined, longest), warned };
}

test('works on one after the other, and tells what it refuses', async () => {
  const { thread, warned } = threads();
  const read = (body: Buffer) => thread.work('readSwagger', { body, versions: [ABOUT] });
  const [right, wrong, again] = await Promise.allSettled([
    read(swagger({ paths: { '/apis/a/v1/x': {}, '/apis/b/v1/y': {} } })),
    read(Buffer.from('[1]')),
    read(swagger({ paths: { '/apis/a/v1/': {} } })),
  ]);
  assert.is(right.status, 'fulfilled');
  const { document } = (right as PromiseFulfilledResult<{ document?: Uint8Array }>).value;
  assert.equal(JSON.parse(Buffer.from(document ?? []).toString()).paths, { '/apis/a/v1/x': {} });
  assert.match((wrong as PromiseRejectedResult).reason.message, 'the document is no object');
  assert.is(again.status, 'fulfilled');
  await thread.close();
  assert.equal(warned, []);
});

test('leaves out what takes longer than it may, and goes on', async () => {
  const { thread, warned } = threads(5_000);
  const definitions = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`d${index}`, {}]));
  const document = swagger({ info: {}, paths: {}, definitions, parameters: {} });
  const own = swagger({ info: {}, paths: {}, definitions: {}, parameters: {}, securityDefinitions: {} });
  const [long, other] = await Promise.allSettled([
    thread.work('mergeSwagger', { own, form: 'json', remotes: Array.from({ length: 5_000 }, () => ({ document, about: ABOUT })) }),
    thread.work('describeVersion', { body: swagger({ resources: [{ name: 'lamps' }] }) }),
  ]);
  assert.is(long.status, 'rejected');
  assert.is(other.status, 'fulfilled');
  assert.is(warned.length, 1);
  await thread.close();
});

test('does nothing for a server that stops', async () => {
  const { thread, warned } = threads();
  const under = thread.work('readSwagger', { body: swagger({}), versions: [ABOUT] }).catch((error: Error) => error.message);
  await thread.close();
  assert.is(await under, 'the server is stopping');
  assert.is(
    await thread.work('readSwagger', { body: swagger({}), versions: [] }).catch((error: Error) => error.message),
    'the server is stopping',
  );
  assert.equal(warned, []);
});

test.run();
