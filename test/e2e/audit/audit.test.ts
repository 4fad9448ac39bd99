/** What is recorded of requests to a real server. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('audit');
const POLICY = `
apiVersion: audit.cluster.io/v1
kind: Policy
omitManagedFields: true
rules:
- level: None
  nonResourceURLs: ["/readyz*"]
- level: None
  users: [ "system:apiserver" ]
- level: Metadata
  resources: [ { group: "", resources: [ secrets ] } ]
- level: Request
  resources: [ { group: "", resources: [ services ] } ]
- level: RequestResponse
`;

let folder: string;
let server: TestServer;
let admin: Client;
let alice: Client;
let nobody: Client;
const logFile = () => path.join(folder, 'audit.log');

test.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'audit-'));
  writeFileSync(path.join(folder, 'policy.yaml'), POLICY);
  server = await startServer({
    dialect: 'cluster',
    flags: ['--controllers=-*', `--audit-policy-file=${folder}/policy.yaml`, `--audit-log-path=${logFile()}`, '--anonymous-auth=false'],
  });
  admin = new Client(server);
  alice = new Client(server, server.tokens.alice);
  nobody = new Client(server, 'nobody-token');
});
test.after(async () => {
  for (const client of [admin, alice, nobody]) client.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Those that are whole: of one that is being written a part may be seen. */
const lines = (file = logFile()): Json[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

let asked = 0;
/** Events of one request, once its last one is there. @param last its stage */
async function events(ask: (headers: Record<string, string>) => Promise<unknown>, last = 'ResponseComplete'): Promise<Json[]> {
  const id = `request-${asked++}`;
  await ask({ 'audit-id': id });
  let found: Json[] = [];
  await eventually(`the event ${last} of ${id} is there`, () => {
    found = lines().filter(({ auditID }) => auditID === id);
    return found.at(-1)?.stage === last;
  });
  return found;
}
const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = { a: '1' }) => ({ metadata: { name }, data });

test('has two events of a request: who, what, from where, with what outcome', async () => {
  const found = await events((headers) => admin.get(`${PODS}/none?x=y`, { ...headers, 'user-agent': 'me' }));
  assert.equal(
    found.map(({ stage }) => stage),
    ['RequestReceived', 'ResponseComplete'],
  );
  const [received, complete] = found;
  assert.equal(received.annotations, undefined);
  assert.is(received.stageTimestamp, received.requestReceivedTimestamp);
  assert.match(received.stageTimestamp, /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  const { requestReceivedTimestamp: _, stageTimestamp: __, auditID: ___, responseObject, ...rest } = complete;
  assert.equal(rest, {
    kind: 'Event',
    apiVersion: 'audit.cluster.io/v1',
    level: 'RequestResponse',
    stage: 'ResponseComplete',
    requestURI: `${PODS}/none?x=y`,
    verb: 'get',
    user: { username: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] },
    sourceIPs: ['127.0.0.1'],
    userAgent: 'me',
    objectRef: { resource: 'pods', namespace: 'default', name: 'none', apiVersion: 'v1' },
    responseStatus: {
      metadata: {},
      status: 'Failure',
      message: 'pods "none" not found',
      reason: 'NotFound',
      details: { name: 'none', kind: 'pods' },
      code: 404,
    },
    annotations: { 'authorization.cluster.io/decision': 'allow', 'authorization.cluster.io/reason': '' },
  });
  assert.is(responseObject.reason, 'NotFound');
});

test('has the bodies of a create, with its defaults, and no managed fields', async () => {
  const service = { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
  const complete = (await events((headers) => admin.post('/api/v1/namespaces/default/services', service, headers))).at(-1);
  assert.equal([complete.level, complete.responseObject], ['Request', undefined]);
  assert.equal(complete.requestObject.spec.ports, [{ protocol: 'TCP', port: 80, targetPort: 80 }]);
  assert.equal([complete.objectRef.name, complete.responseStatus], ['web', { metadata: {}, code: 200 }]);
  const made = (await events((headers) => admin.post(MAPS, map('made'), headers))).at(-1);
  assert.equal([made.requestObject.data, made.responseObject.data], [{ a: '1' }, { a: '1' }]);
  assert.equal([made.requestObject.metadata.uid, typeof made.responseObject.metadata.uid], [undefined, 'string']);
  assert.is(made.responseObject.metadata.managedFields, undefined);
  const stored = (await admin.get(`${MAPS}/made`)).body;
  assert.ok(stored.metadata.managedFields.length > 0);
  const updated = (await events((headers) => admin.put(`${MAPS}/made`, stored, headers))).at(-1);
  const { uid, resourceVersion } = stored.metadata;
  assert.equal([updated.objectRef.uid, updated.objectRef.resourceVersion], [uid, resourceVersion]);
  assert.is(updated.requestObject.metadata.managedFields, undefined);
});

test('has patches as they came', async () => {
  const merged = (await events((headers) => admin.patch(`${MAPS}/made`, { data: { b: '2' } }, 'application/merge-patch', headers))).at(-1);
  assert.equal(merged.requestObject, { data: { b: '2' } });
  assert.equal(merged.responseObject.data, { a: '1', b: '2' });
  const operations = [{ op: 'remove', path: '/data/b' }];
  assert.equal(
    (await events((headers) => admin.patch(`${MAPS}/made`, operations, 'application/json-patch', headers))).at(-1).requestObject,
    operations,
  );
  const yaml = 'kind: ConfigMap\napiVersion: v1\nmetadata: { name: made }\ndata: { c: "3" }\n';
  const applying = { 'content-type': 'application/apply-patch+yaml' };
  const applied = (
    await events((headers) => admin.request('PATCH', `${MAPS}/made?fieldManager=me`, { body: yaml, headers: { ...applying, ...headers } }))
  ).at(-1);
  assert.equal([applied.verb, applied.requestObject.data], ['patch', { c: '3' }]);
});

const PROTOBUF = 'application/vnd.cluster.protobuf';
const TABLE = 'application/json;as=Table;v=v1;g=meta.cluster.io';
const forms: [name: string, path: string, accept: string, kind: string][] = [
  ['an object as protobuf', `${MAPS}/made`, PROTOBUF, 'ConfigMap'],
  ['a list as protobuf', MAPS, PROTOBUF, 'ConfigMapList'],
  ['a list as JSON', MAPS, 'application/json', 'ConfigMapList'],
  ['a table', MAPS, TABLE, 'Table'],
  ['indented JSON', `${MAPS}/made?pretty=true`, 'application/json', 'ConfigMap'],
  ['a list of metadata as protobuf', MAPS, `${PROTOBUF};as=PartialObjectMetadataList;v=v1;g=meta.cluster.io`, 'PartialObjectMetadataList'],
  ['an error as protobuf', `${MAPS}/none`, PROTOBUF, 'Status'],
  ['discovery', '/api/v1', 'application/json', 'APIResourceList'],
];
for (const [name, path, accept, kind] of forms)
  test(`has answers as JSON: ${name}`, async () => {
    const { responseObject } = (await events((headers) => admin.get(path, { ...headers, accept }))).at(-1);
    assert.is(responseObject?.kind, kind);
    const items: Json[] | undefined = responseObject.items;
    if (kind === 'ConfigMapList') {
      const made = items?.find(({ metadata }) => metadata.name === 'made');
      assert.equal([made.data, made.metadata.managedFields], [{ a: '1', c: '3' }, undefined]);
    }
  });

test('has answers that left compressed', async () => {
  const long = 'x'.repeat(200_000);
  assert.is((await admin.post(MAPS, map('long', { long }))).status, 200);
  // the client takes such answers for JSON that is broken
  const zipped = (path: string) => (headers: Record<string, string>) =>
    admin.get(path, { ...headers, 'accept-encoding': 'gzip' }).then(
      () => assert.unreachable('it did not leave compressed'),
      () => {},
    );
  const one = (await events(zipped(`${MAPS}/long`))).at(-1);
  assert.is(one.responseObject.data.long, long);
  const list = (await events(zipped(MAPS))).at(-1);
  assert.is(
    list.responseObject.items.length,
    2 + Number(list.responseObject.items.some(({ metadata }: Json) => /root-ca/.test(metadata.name))),
  );
});

test('has what another thread has answered', async () => {
  const data = Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`key-${i}`, 'some text']));
  const complete = (await events((headers) => admin.post(MAPS, map('many', data), headers))).at(-1);
  assert.equal([complete.objectRef.name, complete.responseStatus.code], ['many', 200]);
  assert.equal([complete.requestObject.data, complete.responseObject.data], [data, data]);
  const refused = (await events((headers) => admin.post(MAPS, map('many', data), headers))).at(-1);
  assert.equal([refused.responseStatus.reason, refused.responseStatus.code], ['AlreadyExists', 409]);
});

/** Leaves once it has sent the beginning of a body, or got the beginning of the answer. */
async function leave(method: string, url: string, headers: Record<string, string>, bytes?: string): Promise<void> {
  const authorization = `Bearer ${server.tokens.admin}`;
  const asking = request(`${server.url}${url}`, { method, ca: authority(server), headers: { ...headers, authorization } });
  const gone = new Promise<void>((resolve) => asking.on('close', resolve));
  asking.on('error', () => {});
  asking.on('response', (answer) => answer.once('data', () => asking.destroy()).on('error', () => {}));
  if (bytes === undefined) asking.end();
  else asking.write(bytes);
  const hasBegun = () => lines().some(({ auditID }) => auditID === headers['audit-id']);
  if (bytes !== undefined) await eventually('the server has begun with it', hasBegun).then(() => asking.destroy());
  await gone;
}

for (const [method, name] of [
  ['POST', ''],
  ['PUT', '/x'],
] as const)
  test(`has the failure of a ${method} whose client leaves before all of the body was there`, async () => {
    const types = { 'content-type': 'application/json', 'content-length': '100' };
    const [, end] = await events((headers) => leave(method, `${MAPS}${name}`, { ...headers, ...types }, '{'));
    assert.equal(end?.responseStatus, { metadata: {}, status: 'Failure', message: 'unexpected EOF', code: 500 });
    assert.is(end?.responseObject.message, 'unexpected EOF');
  });
test('has all of an answer whose client leaves before it has got it', async () => {
  await admin.post(MAPS, map('left', { a: 'x'.repeat(1_000_000) }));
  const [, end] = await events((headers) => leave('GET', `${MAPS}/left`, headers));
  assert.is(end?.responseObject.data.a.length, 1_000_000);
});
/** Leaves as soon as all of the body has left. */
async function hurry(method: string, url: string, headers: Record<string, string>, body: object): Promise<void> {
  const bytes = JSON.stringify(body);
  const types = {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    authorization: `Bearer ${server.tokens.admin}`,
  };
  const asking = request(`${server.url}${url}`, { method, ca: authority(server), headers: { ...headers, ...types }, agent: false });
  asking.on('error', () => {});
  const gone = new Promise<void>((resolve) => asking.on('close', resolve));
  asking.end(bytes, () => asking.destroy());
  await gone;
}

test('has what became of a request whose client leaves at once', async () => {
  for (let n = 0; n < 4; n++) {
    const name = `hurry-${n}`;
    const [, end] = await events((headers) => hurry('POST', MAPS, headers, map(name)));
    const { code, message = '' } = end?.responseStatus ?? {};
    // whoever leaves before the write has begun stops it
    assert.ok(code === 200 || code === 504, `${code} ${message}`);
    assert.is((await admin.get(`${MAPS}/${name}`)).status, code === 200 ? 200 : 404);
    assert.is(end?.responseObject.kind, code === 200 ? 'ConfigMap' : 'Status');
  }
});
test('has of secrets what the policy says', async () => {
  const secret = { metadata: { name: 'hush' }, stringData: { password: 'ssesame' } };
  await events((headers) => admin.post('/api/v1/namespaces/default/secrets', secret, headers));
  const { level, objectRef } = (await events((headers) => admin.get('/api/v1/namespaces/default/secrets/hush', headers))).at(-1);
  assert.equal([level, objectRef.name], ['Metadata', 'hush']);
  await events((headers) => admin.get('/api/v1/namespaces/default/secrets', headers));
  assert.not.match(readFileSync(logFile(), 'utf8'), /ssesame|c3Nlc2FtZQ/);
});

test('has why somebody may not', async () => {
  const { user, annotations, responseStatus } = (await events((headers) => alice.get(MAPS, headers))).at(-1);
  assert.equal([user.username, user.groups], ['alice', ['dev', 'qa', 'system:authenticated']]);
  assert.is(annotations['authorization.cluster.io/decision'], 'forbid');
  assert.equal([responseStatus.code, responseStatus.reason], [403, 'Forbidden']);
});

test('has whom somebody acts as', async () => {
  const as = { 'impersonate-user': 'joe', 'impersonate-group': 'ops' };
  const found = await events((headers) => admin.get(MAPS, { ...headers, ...as }));
  const { user, impersonatedUser, annotations } = found.at(-1);
  assert.equal([user.username, impersonatedUser], ['admin', { username: 'joe', groups: ['ops', 'system:authenticated'] }]);
  assert.is(found[0].impersonatedUser, undefined);
  assert.is(annotations['authorization.cluster.io/decision'], 'forbid');
});

test('has which token an account was given', async () => {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await admin.post(accounts, { metadata: { name: 'robot' } });
  let token = '';
  const found = await events(async (headers) => {
    token = (await admin.post(`${accounts}/robot/token`, { spec: {} }, headers)).body.status.token;
  });
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  assert.is(found.at(-1).annotations['authentication.cluster.io/issued-credential-id'], `JTI=${jti}`);
});

test('has one event of who is not known', async () => {
  const [only, ...more] = await events((headers) => nobody.get(MAPS, headers), 'ResponseStarted');
  assert.equal([more.length, only.user, only.responseStatus.code], [0, {}, 401]);
  assert.equal(
    [only.responseStatus.message, only.responseStatus.reason, only.responseStatus.status],
    ['Unauthorized', 'Unauthorized', 'Failure'],
  );
});

test('has the name of the one object that a list is for', async () => {
  const found = await events((headers) => admin.get(`${MAPS}?fieldSelector=metadata.name%3Dsingle`, headers));
  assert.is(found.at(-1).objectRef.name, 'single');
});

test('has the beginning of a watch, and its end', async () => {
  const found = await events(async (headers) => {
    const watch = await admin.watch(`${MAPS}?watch=1&timeoutSeconds=1`, headers);
    for await (const _ of watch);
  });
  assert.equal(
    found.map(({ stage, responseStatus }) => [stage, responseStatus?.code]),
    [
      ['RequestReceived', undefined],
      ['ResponseStarted', 200],
      ['ResponseComplete', 200],
    ],
  );
  assert.equal([found[2].verb, found[2].responseObject], ['watch', undefined]);
  assert.equal(
    found[2].annotations,
    { 'authorization.cluster.io/decision': 'allow', 'authorization.cluster.io/reason': '' },
    'a watch takes the time that its client wants',
  );
});

for (const [name, target, headers] of [
  ['watch', `${MAPS}?watch=1&resourceVersion=none`, {}],
  ['switch of protocols', `${PODS}/none/exec?command=a&stdin=1`, { connection: 'Upgrade', upgrade: 'websocket' }],
] as const)
  test(`has the refusal of a ${name} from the beginning of its answer, and the end`, async () => {
    const found = await events(async (id) => {
      const credentials = { authorization: `Bearer ${server.tokens.admin}`, 'content-type': 'application/json' };
      const asked = request(`${server.url}${target}`, { ca: authority(server), headers: { ...credentials, ...headers, ...id } });
      const [response] = await once(asked.end(), 'response');
      await response.toArray();
    });
    assert.equal(
      found.map(({ stage, responseObject }) => [stage, responseObject?.reason]),
      [
        ['RequestReceived', undefined],
        ['ResponseStarted', found[2].responseStatus.reason],
        ['ResponseComplete', found[2].responseStatus.reason],
      ],
    );
    assert.equal(found[1].responseObject, found[2].responseObject);
  });

test('has what deletes say, and what they are answered', async () => {
  const deleted = (await events((headers) => admin.delete(`${MAPS}/long`, { propagationPolicy: 'Background' }, headers))).at(-1);
  assert.equal(
    [deleted.requestObject, deleted.responseStatus.status, deleted.responseStatus.code],
    [{ kind: 'DeleteOptions', apiVersion: 'meta.cluster.io/__internal', propagationPolicy: 'Background' }, 'Success', 200],
  );
});

test('has nothing of what the policy leaves out', async () => {
  const before = lines().length;
  await admin.get('/readyz', { 'audit-id': 'left-out' });
  await events((headers) => admin.get('/version', headers));
  assert.ok(lines().length > before);
  assert.not.ok(lines().some(({ auditID }) => auditID === 'left-out'));
});

test('is counted', async () => {
  const { text } = await admin.get('/metrics');
  for (const counted of [
    /^apiserver_audit_event_total [1-9]/m,
    /^apiserver_audit_level_total\{level="None"\} [1-9]/m,
    /^apiserver_audit_level_total\{level="RequestResponse"\} [1-9]/m,
  ])
    assert.match(text, counted);
});

/** Another server with flags of its own. */
async function withServer(flags: readonly string[], act: (client: Client, own: TestServer) => Promise<void>): Promise<void> {
  const own = await startServer({ dialect: 'cluster', flags: ['--controllers=-*', `--audit-policy-file=${folder}/policy.yaml`, ...flags] });
  const client = new Client(own);
  try {
    await act(client, own);
  } finally {
    client.close();
    await own.stop();
  }
}

test('is sent to a service, whose failures are tried again, all of it by the end', async () => {
  const received: Json[] = [];
  let failures = 2;
  const openSsl = new OpenSsl();
  const issuer = openSsl.authority('audit');
  const { key, certificate } = openSsl.leaf({ subject: '/CN=events', issuer, usage: 'serverAuth', host: 'localhost' });
  const service = createServer({ key, cert: certificate }, (request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      if (failures-- > 0) response.statusCode = 400;
      else received.push(JSON.parse(text));
      response.end();
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const config = path.join(folder, 'webhook.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      kind: 'Config',
      apiVersion: 'v1',
      clusters: [
        {
          name: 'x',
          cluster: {
            server: `https://localhost:${(service.address() as AddressInfo).port}/events`,
            'certificate-authority': issuer.certificateFile,
          },
        },
      ],
      contexts: [{ name: 'x', context: { cluster: 'x', user: '' } }],
      'current-context': 'x',
    }),
  );
  try {
    await withServer(
      [`--audit-webhook-config-file=${config}`, '--audit-webhook-initial-backoff=10ms', '--audit-webhook-batch-max-wait=50ms'],
      async (client) => {
        await client.get(MAPS, { 'audit-id': 'early' });
        const items = (): Json[] => received.flatMap((list) => list.items);
        for (let i = 0; i < 2_000 && !items().some(({ auditID }) => auditID === 'early'); i++) await sleep(5);
        assert.equal([received[0].kind, received[0].apiVersion, received[0].metadata], ['EventList', 'audit.cluster.io/v1', {}]);
        // members of a list do not say what the list says
        assert.equal(Object.keys(items()[0]).slice(0, 2), ['level', 'auditID']);
        await client.get(MAPS, { 'audit-id': 'late' });
      },
    );
    const late = received.flatMap((list) => list.items).filter(({ auditID }) => auditID === 'late');
    assert.equal(
      late.map(({ stage }) => stage),
      ['RequestReceived', 'ResponseComplete'],
    );
  } finally {
    service.close();
    openSsl.remove();
  }
});

test('that cannot be written refuses requests where it is strict, and no others', async () => {
  for (const [mode, status] of [
    ['blocking', 200],
    ['blocking-strict', 500],
  ] as const)
    await withServer([`--audit-log-path=/dev/full`, `--audit-log-mode=${mode}`], async (client) => {
      const { status: found, body } = await client.get(MAPS);
      assert.is(found, status);
      if (status === 500) assert.match(body.message, /failed to store audit event/);
    });
});

test('that is lost is counted by what has lost it', async () => {
  for (const [lostBy, flags] of [
    ['truncate', ['--audit-log-truncate-enabled', '--audit-log-truncate-max-event-size=10', '--audit-log-truncate-max-batch-size=10']],
    [
      'buffered',
      [
        '--audit-log-mode=batch',
        '--audit-log-batch-throttle-enable',
        '--audit-log-batch-throttle-qps=0.01',
        '--audit-log-batch-throttle-burst=1',
        '--audit-log-batch-buffer-size=1',
        '--audit-log-batch-max-size=1',
      ],
    ],
  ] as const)
    await withServer([`--audit-log-path=${path.join(folder, lostBy, 'audit.log')}`, ...flags], async (client) => {
      for (let i = 0; i < 3; i++) await client.get(MAPS);
      const figures = (await client.get('/metrics')).text;
      assert.match(figures, new RegExp(`apiserver_audit_error_total\\{plugin="${lostBy}"\\} [1-9]`));
      assert.not.match(figures, 'apiserver_audit_error_total{plugin="log"}');
    });
});

test('is one file of all workers', async () => {
  const file = path.join(folder, 'workers.log');
  await withServer([`--audit-log-path=${file}`, '--workers=2'], async (_client, own) => {
    const clients = Array.from({ length: 4 }, () => new Client(own));
    await Promise.all(clients.flatMap((client, i) => Array.from({ length: 20 }, (_, j) => client.get(MAPS, { 'audit-id': `${i}-${j}` }))));
    for (const client of clients) client.close();
  });
  const complete = lines(file).filter(({ stage, auditID }) => stage === 'ResponseComplete' && /^\d-\d+$/.test(auditID));
  assert.is(complete.length, 80);
});

test('in batches and in the older form is whole at the end', async () => {
  const file = path.join(folder, 'batches.log');
  const flags = ['--audit-log-mode=batch', '--audit-log-batch-max-size=50', '--audit-log-batch-max-wait=1m', '--audit-log-format=legacy'];
  await withServer([`--audit-log-path=${file}`, ...flags], async (client) => {
    for (let i = 0; i < 10; i++) await client.get(MAPS, { 'audit-id': `batch-${i}` });
  });
  const text = readFileSync(file, 'utf8');
  for (let i = 0; i < 10; i++)
    assert.match(
      text,
      new RegExp(`AUDIT: id="batch-${i}" stage="ResponseComplete" ip="127.0.0.1" method="list" user="admin" .* response="200"`),
    );
});

const wrong: [flags: string[], problem: RegExp][] = [
  [['--audit-log-path=/dev/null/audit.log'], /--audit-log-path: \/dev\/null\/audit\.log: it is no folder/],
  [
    ['--audit-log-path=-', '--audit-log-version=audit.cluster.io/v2'],
    /--audit-log-version: invalid group version "audit.cluster.io\/v2", the only one is audit.cluster.io\/v1/,
  ],
  [
    ['--audit-log-path=-', '--audit-log-mode=batch', '--audit-log-batch-max-size=0'],
    /--audit-log-batch-max-size: 0 must be a positive number/,
  ],
  [
    ['--audit-log-path=-', '--audit-log-truncate-max-batch-size=10'],
    /truncate-max-batch-size: 10 must not be less than the max event size/,
  ],
  [['--audit-log-path=-', '--audit-policy-file=/none.yaml'], /--audit-policy-file: \/none\.yaml: there is no such file/],
];
for (const [flags, problem] of wrong)
  test(`is refused at the start: ${flags.at(-1)}`, async () => {
    await withServer(flags, async () => {}).then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, problem),
    );
  });

test.run();
