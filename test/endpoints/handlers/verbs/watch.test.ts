import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, MERGE } from '../asked-server.ts';

const test = suite('GET with watch');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

/** The first events of a watch. */
async function events(query: string, count: number): Promise<{ type: string; object: { kind: string; metadata: { name: string } } }[]> {
  const answer = await server.embedded.client.fetch(`${MAPS}?watch=1&timeoutSeconds=20&${query}`);
  assert.is(answer.status, 200);
  const found: { type: string; object: { kind: string; metadata: { name: string } } }[] = [];
  let text = '';
  for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    const lines = text.split('\n');
    text = lines.pop() as string;
    found.push(...lines.map((line) => JSON.parse(line)));
    if (found.length >= count) break;
  }
  return found;
}
test('tells each change after a revision', async () => {
  const { body } = await server.get(MAPS);
  await server.post(MAPS, map('x'));
  await server.ask('PATCH', `${MAPS}/x`, { body: { data: { a: 'b' } }, type: MERGE });
  await server.ask('DELETE', `${MAPS}/x`);
  const told = await events(`resourceVersion=${body.metadata.resourceVersion}`, 3);
  assert.equal(
    told.map(({ type, object }) => [type, object.metadata.name]),
    [
      ['ADDED', 'x'],
      ['MODIFIED', 'x'],
      ['DELETED', 'x'],
    ],
  );
});
test('begins with what is there where no revision is named', async () => {
  const [first] = await events('', 1);
  assert.equal([first?.type, first?.object.metadata.name], ['ADDED', 'kube-root-ca.crt']);
});
test('marks the end of what is there for who asks for a list as a stream', async () => {
  const told = await events('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true', 2);
  assert.equal(
    told.map(({ type }) => type),
    ['ADDED', 'BOOKMARK'],
  );
});
for (const future of ['9007199254740991', '18446744073709551615'])
  test(`of the version ${future}, which no store reaches, tells nothing`, async () => {
    const writing = server.post(MAPS, map(`y${future}`));
    const query = `watch=1&resourceVersion=${future}&timeoutSeconds=1&allowWatchBookmarks=true`;
    const watched = await server.embedded.client.fetch(`${MAPS}?${query}`);
    assert.equal([watched.status, await watched.text()], [200, '']);
    await writing;
  });
test('begins a hundred times at once', async () => {
  const told = await Promise.all(Array.from({ length: 100 }, () => events('', 1)));
  for (const [first] of told) assert.is(first?.object.metadata.name, 'kube-root-ca.crt');
});
const refusals: readonly [query: string, status: number][] = [
  ['resourceVersion=x', 400],
  ['sendInitialEvents=true', 422],
  ['resourceVersionMatch=Exact', 422],
  ['fieldSelector=data.a%3Db', 400],
];
for (const [query, status] of refusals)
  test(`refuses ${query}`, async () => assert.is((await server.get(`${MAPS}?watch=1&${query}`)).status, status));
test('of one name watches that object alone', async () => {
  assert.is((await server.get('/api/v1/watch/namespaces/default/configmaps/x?fieldSelector=metadata.name%3Dy')).status, 400);
});

test.run();
