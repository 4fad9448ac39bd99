/** CBOR behind its feature gate: objects of the schemas and of a definition, in all that is said of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WebSocket } from 'ws';
import { encodeCbor, encodeCborDocument } from '../../../runtime/schema/cbor/encode.ts';
import { readCbor, readCborSequence } from '../../harness/cbor.ts';
import { authority, Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const CBOR = 'application/cbor';
const IN_CBOR = { accept: CBOR, 'content-type': CBOR };
const AS_METADATA = (transform: string, domain: string) => ({ accept: `${CBOR};as=${transform};g=meta.${domain};v=v1` });
const SECRETS = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

interface Answered {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Json;
  readonly warning: string | undefined;
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const test = suite(`CBOR: ${dialect}`);
  let server: TestServer;
  let client: Client;
  test.before(async () => {
    server = await startServer({ dialect, flags: ['--feature-gates=CBORServingAndStorage=true', '--controllers=-*'] });
    client = new Client(server);
    const definitions = client.name('/apis/apiextensions.${groupDomain}/v1/customresourcedefinitions');
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer', maximum: 5 },
            ratio: { type: 'number' },
            any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
        status: { type: 'object', properties: { ready: { type: 'boolean' } } },
      },
    };
    const { status } = await client.post(definitions, {
      kind: 'CustomResourceDefinition',
      apiVersion: client.name('apiextensions.${groupDomain}/v1'),
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } }],
      },
    });
    assert.ok(status === 200 || status === 201);
    await eventually('the definition is served', async () => (await client.get(WIDGETS)).status === 200);
  });
  test.after(async () => {
    client.close();
    await server.stop();
  });

  async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = IN_CBOR): Promise<Answered> {
    const sent = body === undefined || Buffer.isBuffer(body) ? body : encodeCborDocument(body);
    const answer = await client.request(method, path, { headers, body: sent });
    const type = answer.headers['content-type'];
    return {
      status: answer.status,
      type,
      body: type === CBOR ? readCbor(answer.bytes) : answer.body,
      warning: answer.headers.warning as string,
    };
  }
  const created = dialect === 'kubernetes' ? 201 : 200;
  const secret = (name: string, more: object = {}) => ({
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: { name },
    data: { key: 'AQID' },
    ...more,
  });
  const widget = (name: string, more: object = {}) => ({ kind: 'Widget', apiVersion: 'example.com/v1', metadata: { name }, ...more });

  test('an object comes, is read, changed and goes', async () => {
    const { status, type, body } = await ask('POST', SECRETS, secret('life'));
    assert.equal([status, type], [created, CBOR]);
    assert.is(body.data.key, 'AQID');
    assert.is(body.type, 'Opaque');
    const { body: asJson } = await client.get(`${SECRETS}/life`);
    assert.equal(body, asJson);
    assert.equal((await ask('GET', `${SECRETS}/life`)).body, asJson);
    const changed = await ask('PUT', `${SECRETS}/life`, { ...body, data: { key: 'BAUG' } });
    assert.equal([changed.status, changed.body.data.key], [200, 'BAUG']);
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
    assert.is((await ask('DELETE', `${SECRETS}/life`, options)).status, 200);
    assert.is((await ask('GET', `${SECRETS}/life`)).status, 200);
    const gone = await ask('DELETE', `${SECRETS}/life`);
    assert.equal([gone.status, gone.type, gone.body.kind, gone.body.status], [200, CBOR, 'Status', 'Success']);
    const none = await ask('GET', `${SECRETS}/life`);
    assert.equal([none.status, none.type, none.body.reason], [404, CBOR, 'NotFound']);
  });

  test('bytes are bytes, and texts may be either', async () => {
    await ask('POST', `${SECRETS}?dryRun=All`, secret('bytes'));
    const text = (value: string) => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
    const body = Buffer.concat([
      Buffer.from([0xbf]),
      ...[text('kind'), text('Secret'), text('apiVersion'), text('v1'), text('metadata'), Buffer.from([0xa1]), text('name'), text('bytes')],
      ...[text('data'), Buffer.from('a1', 'hex'), text('a'), Buffer.from('d643010203', 'hex'), Buffer.from([0xff])],
    ]);
    assert.is((await ask('POST', SECRETS, body)).body.data.a, 'AQID');
    const { bytes } = await client.get(`${SECRETS}/bytes`, { accept: CBOR });
    assert.ok(bytes.includes(Buffer.concat([encodeCbor('a'), Buffer.from('d643010203', 'hex')])), 'as bytes behind their tag');
  });

  test('a custom object comes, is read, changed and goes', async () => {
    const spec = { size: 3, ratio: 0.5, any: { deep: [1, 'a', null, true] } };
    const { status, type, body } = await ask('POST', WIDGETS, widget('life', { spec }));
    assert.equal([status, type, body.spec], [created, CBOR, spec]);
    const { body: asJson } = await client.get(`${WIDGETS}/life`);
    assert.equal((await ask('GET', `${WIDGETS}/life`)).body, asJson);
    const changed = await ask('PUT', `${WIDGETS}/life/status`, { ...body, status: { ready: true } });
    assert.equal([changed.status, changed.body.status], [200, { ready: true }]);
    const refused = await ask('PUT', `${WIDGETS}/life`, { ...changed.body, spec: { size: 6 } });
    assert.equal([refused.status, refused.type, refused.body.reason], [422, CBOR, 'Invalid']);
    const unknown = await ask('PUT', `${WIDGETS}/life?fieldValidation=Strict`, { ...changed.body, spec: { colour: 1 } });
    assert.match(unknown.body.message, /strict decoding error: unknown field "spec.colour"$/);
    assert.is((await ask('DELETE', `${WIDGETS}/life`)).status, 200);
  });

  test('lists', async () => {
    await ask('POST', MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', labels: { list: 'yes' } } });
    await ask('POST', MAPS, {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'b', labels: { list: 'yes' } },
      data: { long: 'x'.repeat(100_000) },
    });
    await ask('POST', WIDGETS, widget('a'));
    const chosen = '?labelSelector=list%3Dyes';
    for (const path of [`${MAPS}${chosen}`, `${MAPS}${chosen}&limit=1`, `${MAPS}?labelSelector=none`, WIDGETS, '/api/v1/namespaces']) {
      const { bytes, headers } = await client.get(path, { accept: CBOR });
      assert.is(headers['content-type'], CBOR);
      const { body } = await client.get(path);
      const listed = readCbor(bytes);
      // it says where the next page begins, at a moment
      const { continue: _one, ...metadata } = listed.metadata;
      const { continue: _other, ...ofJson } = body.metadata;
      assert.equal({ ...listed, metadata }, { ...body, metadata: ofJson });
    }
    for (const path of [MAPS, WIDGETS, `${MAPS}?labelSelector=none`]) {
      const headers = AS_METADATA('PartialObjectMetadataList', client.name('${groupDomain}'));
      const { bytes } = await client.get(path, headers);
      const { body } = await client.get(path, { accept: headers.accept.replace('cbor', 'json') });
      assert.equal(readCbor(bytes), body);
    }
  });

  test('as metadata alone, and as no Table', async () => {
    await ask('POST', WIDGETS, widget('metadata'));
    const headers = AS_METADATA('PartialObjectMetadata', client.name('${groupDomain}'));
    const { bytes } = await client.get(`${WIDGETS}/metadata`, headers);
    assert.is(readCbor(bytes).kind, 'PartialObjectMetadata');
    const table = await client.get(MAPS, AS_METADATA('Table', client.name('${groupDomain}')));
    assert.is(table.status, 406);
    assert.match(table.body.message, /^only the following media types are accepted: .*, application\/cbor$/);
  });

  test('long objects', async () => {
    const data = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 'v'.repeat(300)]));
    const { status, body } = await ask('POST', MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'long' }, data });
    assert.is(status, created);
    assert.equal(body.data, data);
    assert.equal((await ask('GET', `${MAPS}/long`)).body.data, data);
    const many = { ...data, one: '', two: '', more: '' };
    for (let i = 0; i < 30; i++) (many as Record<string, string>)[`more${i}`] = '';
    const refused = await ask('PUT', `${MAPS}/long`, { ...body, data: many });
    assert.match(refused.body.message, /cbor: exceeded max number of key-value pairs 1024 for CBOR map/);
    const { body: list } = await ask('GET', `${MAPS}?fieldSelector=metadata.name%3Dlong`);
    assert.equal(list.items[0].data, data);
  });

  test('apply', async () => {
    const headers = { accept: CBOR, 'content-type': 'application/apply-patch+cbor' };
    const intent = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'applied' }, data: { a: '1' } };
    const first = await ask('PATCH', `${MAPS}/applied?fieldManager=one`, intent, headers);
    assert.equal([first.status, first.body.data], [created, { a: '1' }]);
    assert.equal(first.body.metadata.managedFields[0].operation, 'Apply');
    const conflict = await ask('PATCH', `${MAPS}/applied?fieldManager=two`, { ...intent, data: { a: '2' } }, headers);
    assert.equal([conflict.status, conflict.type, conflict.body.reason], [409, CBOR, 'Conflict']);
    const own = widget('applied', { spec: { size: 1 } });
    assert.is((await ask('PATCH', `${WIDGETS}/applied?fieldManager=one`, own, headers)).status, created);
    const changed = await ask('PATCH', `${WIDGETS}/applied?fieldManager=one`, { ...own, spec: { size: 2 } }, headers);
    assert.equal([changed.status, changed.body.spec], [200, { size: 2 }]);
    for (const [bytes, message] of [
      ['a2414101414102', 'error decoding YAML: cbor: found duplicate map key "A" at map element index 1'],
      ['80', 'error decoding YAML: cbor: cannot unmarshal array into Go value of type map[string]interface {}'],
      ['', 'error decoding YAML: EOF'],
    ] as const) {
      const refused = await ask('PATCH', `${MAPS}/applied?fieldManager=one`, Buffer.from(bytes, 'hex'), headers);
      assert.equal([refused.status, refused.body.message], [400, message]);
    }
    const other = await ask('PATCH', `${WIDGETS}/applied`, {}, { accept: CBOR, 'content-type': 'application/merge-patch+cbor' });
    assert.is(other.status, 415);
    assert.match(other.body.message, /application\/apply-patch\+yaml, application\/apply-patch\+cbor$/);
  });

  test('other patches are JSON, and are answered in CBOR', async () => {
    await ask('POST', MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'patched' } });
    const headers = { accept: CBOR, 'content-type': 'application/merge-patch+json' };
    const { status, type, body } = await ask('PATCH', `${MAPS}/patched`, Buffer.from('{"data":{"a":"b"}}'), headers);
    assert.equal([status, type, body.data], [200, CBOR, { a: 'b' }]);
  });

  test('watches are sequences', async () => {
    for (const [path, made] of [
      [MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'watched', labels: { watch: 'yes' } } }],
      [WIDGETS, widget('watched', { metadata: { name: 'watched', labels: { watch: 'yes' } } })],
    ] as const) {
      await ask('POST', path, made);
      const { body: list } = await client.get(path);
      const from = `${path}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&labelSelector=watch%3Dyes`;
      const ended = client.request('GET', from, { headers: { accept: CBOR } });
      const { bytes, headers } = await ended;
      assert.is(headers['content-type'], 'application/cbor-seq');
      const events = readCborSequence(bytes);
      assert.is(events[0].type, 'ADDED');
      assert.is(events[0].object.kind, made.kind);
      const old = `${path}?watch=1&timeoutSeconds=1&resourceVersion=${list.metadata.resourceVersion}`;
      const changes = client.request('GET', old, { headers: { accept: CBOR } });
      await client.patch(`${path}/watched`, { metadata: { annotations: { last: 'yes' } } });
      const modified = readCborSequence((await changes).bytes);
      assert.ok(modified.some(({ type, object }) => type === 'MODIFIED' && object.metadata.annotations.last === 'yes'));
    }
    const partly = AS_METADATA('PartialObjectMetadata', client.name('${groupDomain}'));
    const { bytes } = await client.get(`${WIDGETS}?watch=1&timeoutSeconds=1`, partly);
    assert.is(readCborSequence(bytes)[0].object.kind, 'PartialObjectMetadata');
    const refused = await client.get(`${MAPS}?watch=1`, { accept: 'application/cbor-seq' });
    assert.is(refused.status, 406);
    assert.match(refused.body.message, /application\/cbor, application\/json;stream=watch, .*;stream=watch, application\/cbor-seq$/m);
  });

  test('a list that is streamed marks its end', async () => {
    const query = 'watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { bytes } = await client.get(`${MAPS}?${query}`, { accept: CBOR });
    const end = readCborSequence(bytes).find(({ type }) => type === 'BOOKMARK');
    const blueprint = end.object.metadata.annotations[client.name('${labelDomain}/initial-events-list-blueprint')];
    assert.equal(readCbor(Buffer.from(blueprint, 'base64')), { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: null });
  });

  test('a watch by WebSocket has a message for each event', async () => {
    const url = `${server.url.replace('https', 'wss')}${MAPS}?watch=1&timeoutSeconds=2`;
    const headers = { authorization: `Bearer ${server.tokens.admin}`, accept: CBOR };
    const socket = new WebSocket(url, { ca: authority(server), headers });
    const event = await new Promise<Json>((resolve, reject) => {
      socket.on('message', (data, binary) => (binary ? resolve(readCbor(data as Buffer)) : reject(new Error('a text'))));
      socket.on('error', reject);
    });
    socket.terminate();
    assert.is(event.type, 'ADDED');
    assert.is(event.object.kind, 'ConfigMap');
  });

  test('what is wrong with a body', async () => {
    const cannot = 'Secret in version "v1" cannot be handled as a Secret: ';
    const unrecognized = 'the object provided is unrecognized (must be of type Secret): unable to determine group/version/kind: ';
    const bad: readonly [body: unknown, message: string][] = [
      [Buffer.from('ff', 'hex'), `${unrecognized}cbor: unexpected "break" code (ff)`],
      [Buffer.from('81'.repeat(65), 'hex'), `${unrecognized}cbor: exceeded max nested level 64 (${'81'.repeat(30)} ...)`],
      [Buffer.from('a2414101414102', 'hex'), `${unrecognized}cbor: found duplicate map key "A" at map element index 1 (a2414101414102)`],
      [
        Buffer.from('80', 'hex'),
        `${unrecognized}cbor: cannot unmarshal array into Go value of type v1.TypeMeta (cannot decode CBOR array to struct without toarray option) (80)`,
      ],
      [
        secret('bad', { data: { a: 1 } }),
        `${cannot}cbor: cannot unmarshal positive integer into Go struct field v1.Secret.data of type []uint8`,
      ],
      [
        secret('bad', { immutable: 'yes' }),
        `${cannot}cbor: cannot unmarshal byte string into Go struct field v1.Secret.immutable of type bool`,
      ],
    ];
    for (const [body, message] of bad) {
      const refused = await ask('POST', SECRETS, body);
      assert.equal([refused.status, refused.type, refused.body.message], [400, CBOR, message]);
    }
    for (const [sent, message] of [
      [
        { apiVersion: 'example.com/v1' },
        `the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '55799({'apiVersion': 'example.com/v1'})' (d9d9f7a14a61706956657273696f6e4e6578616d706c652e636f6d2f7631)`,
      ],
      [
        { kind: 'Widget' },
        `Widget in version "" cannot be handled as a Widget: Object 'apiVersion' is missing in '55799({'kind': 'Widget'})'`,
      ],
    ] as const) {
      const refused = await ask('POST', WIDGETS, sent);
      assert.equal([refused.status, refused.body.message], [400, message]);
    }
    const strict = await ask('POST', `${SECRETS}?fieldValidation=Strict`, secret('bad', { other: 1 }));
    assert.equal(
      [strict.status, strict.body.message],
      [400, `${cannot}strict decoding error: cbor: found unknown field at map element index 2`],
    );
    const warned = await ask('POST', `${SECRETS}?dryRun=All`, secret('bad', { other: 1 }));
    assert.equal([warned.status, warned.warning], [created, '299 - "cbor: found unknown field at map element index 2"']);
    const ignored = await ask('POST', `${SECRETS}?dryRun=All&fieldValidation=Ignore`, secret('bad', { other: 1 }));
    assert.equal([ignored.status, ignored.warning], [created, undefined]);
  });

  test('questions, and what is said of resources', async () => {
    const group = client.name('authorization.${groupDomain}');
    const review = {
      kind: 'SelfSubjectAccessReview',
      apiVersion: `${group}/v1`,
      spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
    };
    const { status, body } = await ask('POST', `/apis/${group}/v1/selfsubjectaccessreviews`, review);
    assert.equal([status, body.status.allowed], [created, true]);
    for (const path of ['/api/v1', '/apis/apps/v1']) {
      const { bytes, headers } = await client.get(path, { accept: CBOR });
      assert.is(headers['content-type'], CBOR);
      assert.equal(readCbor(bytes), (await client.get(path)).body);
    }
    for (const path of ['/api', '/apis', '/apis/apps', '/apis/example.com/v1'])
      assert.is((await client.get(path, { accept: CBOR })).status, 406);
    const elsewhere = await client.get('/api/v1/nothing', { accept: CBOR });
    assert.equal([elsewhere.status, elsewhere.headers['content-type']], [404, 'application/json']);
    const anonymous = new Client(server, 'nobody');
    const unknown = await anonymous.get(MAPS, { accept: CBOR });
    anonymous.close();
    assert.equal([unknown.status, unknown.headers['content-type']], [401, 'application/json']);
  });

  test('documents tell of it', async () => {
    const { body } = await client.get('/openapi/v3/api/v1');
    const { get, patch } = body.paths['/api/v1/namespaces/{namespace}/configmaps/{name}'];
    assert.ok(CBOR in get.responses['200'].content);
    assert.ok('application/apply-patch+cbor' in patch.requestBody.content);
    const { body: v2 } = await client.get('/openapi/v2');
    assert.ok(v2.paths['/api/v1/namespaces/{namespace}/configmaps'].get.produces.includes('application/cbor-seq'));
  });
  test.run();

  const closed = suite(`CBOR behind a closed gate: ${dialect}`);
  closed('nobody speaks it', async () => {
    const plain = await startServer({ dialect, flags: ['--controllers=-*'] });
    const asked = new Client(plain);
    const refused = await asked.get(MAPS, { accept: CBOR });
    assert.is(refused.status, 406);
    assert.not.match(refused.body.message, /cbor/);
    const sent = await asked.post(SECRETS, encodeCborDocument(secret('a')), { 'content-type': CBOR });
    assert.is(sent.status, 415);
    assert.not.match(sent.body.message, /cbor/);
    const applied = await asked.request('PATCH', `${MAPS}/a?fieldManager=a`, {
      headers: { 'content-type': 'application/apply-patch+cbor' },
      body: encodeCbor({}),
    });
    assert.is(applied.status, 415);
    const { text } = await asked.get('/openapi/v3/api/v1');
    assert.not.match(text, /cbor/);
    asked.close();
    await plain.stop();
  });
  closed.run();
}
