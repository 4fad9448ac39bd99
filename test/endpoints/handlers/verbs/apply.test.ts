import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { APPLY, AskedServer, refusal } from '../asked-server.ts';

const test = suite('PATCH that applies');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

const apply = (name: string, data: object, query = 'fieldManager=me') =>
  server.ask('PATCH', `${MAPS}/${name}?${query}`, { body: { kind: 'ConfigMap', apiVersion: 'v1', ...map(name, data) }, type: APPLY });
test('creates what is not there, and changes what is', async () => {
  assert.is((await apply('a', { x: '1' })).status, 201);
  const again = await apply('a', { x: '2' });
  assert.equal([again.status, again.body.data], [200, { x: '2' }]);
});
test('takes away what the applier applies no longer, and leaves what is not theirs', async () => {
  await apply('b', { mine: '1' });
  await apply('b', { theirs: '1' }, 'fieldManager=you');
  const { body } = await apply('b', {});
  assert.equal(body.data, { theirs: '1' });
});
test('is refused with the owners of what it would take, unless it is forced', async () => {
  await apply('c', { x: '1' });
  const conflict = await apply('c', { x: '2' }, 'fieldManager=you');
  assert.equal(refusal(conflict), [409, 'Conflict', 'Apply failed with 1 conflict: conflict with "me": .data.x']);
  assert.is((await apply('c', { x: '2' }, 'fieldManager=you&force=true')).status, 200);
});
test('reads YAML', async () => {
  const body = 'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: yaml\ndata:\n  a: b\n';
  const answer = await server.ask('PATCH', `${MAPS}/yaml?fieldManager=me`, { body, type: APPLY });
  assert.equal([answer.status, answer.body.data], [201, { a: 'b' }]);
});
test('reads the numbers of quantities by value', async () => {
  const quota = '{"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"q"},"spec":{"hard":{"pods":1e3,"memory":1e20,"cpu":1.50}}}';
  const url = '/api/v1/namespaces/default/resourcequotas/q?fieldManager=me';
  const { body } = await server.ask('PATCH', url, { body: quota, type: APPLY });
  assert.equal(body.spec.hard, { pods: '1k', memory: '100E', cpu: '1500m' });
});
test('reads what is too large for a double as text, which it is in YAML', async () => {
  const text = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"large"},"data":{"a":1e400,"b":-1E999}}';
  const answer = await server.ask('PATCH', `${MAPS}/large?fieldManager=me`, { body: text, type: APPLY });
  assert.equal([answer.status, answer.body.data], [201, { a: '1e400', b: '-1E999' }]);
});
const refusals: readonly [what: string, query: string, body: unknown, status: number][] = [
  ['no manager', '', {}, 400],
  ['no kind', 'fieldManager=me', { metadata: { name: 'x' } }, 400],
  ['what is no object', 'fieldManager=me', '[]', 400],
  ['no YAML', 'fieldManager=me', 'a: [', 400],
  ['managed fields', 'fieldManager=me', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x', managedFields: [{}] } }, 400],
  ['a uid of nothing that is there', 'fieldManager=me', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x', uid: 'u' } }, 409],
  ['such a uid before another name', 'fieldManager=me', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'y', uid: 'u' } }, 409],
];
for (const [what, query, body, status] of refusals)
  test(`refuses ${what}`, async () =>
    assert.is(
      (await server.ask('PATCH', `${MAPS}/x?${query}`, { body, type: APPLY })).status,
      status === 400 && query === '' ? 422 : status,
    ));

for (const [kind, body] of Object.entries({ array: '- a\n', string: 'just text\n', number: '5', bool: 'true' }))
  test(`refuses a body that is of type ${kind} in the words of 1.32`, async () => {
    const [status, , message] = refusal(await server.ask('PATCH', `${MAPS}/x?fieldManager=me`, { body, type: APPLY }));
    const mismatch = `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
    assert.equal([status, message], [400, `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${mismatch}`]);
  });

test('takes a body in UTF-16', async () => {
  const text = '\ufeffkind: ConfigMap\napiVersion: v1\nmetadata: {name: wide}\ndata: {a: ä}\n';
  for (const bytes of [Buffer.from(text, 'utf16le'), Buffer.from(text, 'utf16le').swap16()]) {
    const { status, body } = await server.ask('PATCH', `${MAPS}/wide?fieldManager=me`, { body: bytes, type: APPLY });
    assert.equal([status < 300, body.data], [true, { a: 'ä' }]);
  }
});
for (const [what, body, problem] of [
  ['bytes that are no text', Buffer.from([0x7b, 0xff]), 'invalid leading UTF-8 octet'],
  ['wrong syntax', 'a: *b\n', "unknown anchor 'b' referenced"],
] as const)
  test(`refuses ${what} as what cannot be converted`, async () => {
    const [status, , message] = refusal(await server.ask('PATCH', `${MAPS}/x?fieldManager=me`, { body, type: APPLY }));
    assert.is(status, 400);
    assert.ok(message.startsWith(`error decoding YAML: error converting YAML to JSON: yaml: ${problem}`), message);
  });

for (const [what, name] of Object.entries({ number: '1', 'long number': '12345678901234567890', object: '{}', list: '[]' }))
  for (const member of ['name', 'namespace'])
    test(`a ${member} that is a ${what} is refused, and not shown as one`, async () => {
      const body = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"${member}":${name}}}`;
      const answer = await server.ask('PATCH', `${MAPS}/x?fieldManager=me`, { body, type: APPLY });
      const [status, reason, message] = refusal(answer);
      assert.equal([status, reason], [400, 'BadRequest']);
      assert.ok(
        message.startsWith(`failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.${member}: expected string`),
        message,
      );
    });

test('is refused where an update has stored what cannot be told apart', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const typed = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'nameless' } };
  assert.is((await server.post(accounts, { ...typed, secrets: [{}] })).status, 201);
  const body = { ...typed, secrets: [{ name: 'x' }] };
  const answer = await server.ask('PATCH', `${accounts}/nameless?fieldManager=me`, { body, type: APPLY });
  const [status, reason, message] = refusal(answer);
  assert.equal([status, reason], [400, 'BadRequest']);
  assert.ok(
    message.startsWith(
      'failed to create manager for existing fields: failed to convert new object (default/nameless; /v1, Kind=ServiceAccount) to smd typed: .secrets: element 0: ',
    ),
    message,
  );
});

test.run();
