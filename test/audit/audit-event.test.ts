import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuditEvent, EventHead, type EventState, type HeadFields } from '../../runtime/audit/audit-event.ts';
import { ClientOrigin, clientOf } from '../../runtime/audit/client-origin.ts';
import { microTime } from '../../runtime/audit/event-text.ts';
import type { User } from '../../runtime/contract/request-context.ts';

const test = suite('an audit event');
const fields: HeadFields = {
  apiVersion: 'audit.cluster.io/v1',
  level: 'RequestResponse',
  auditID: 'abc',
  requestURI: '/api/v1/namespaces/shop/pods?x="y"',
  verb: 'create',
  user: { name: 'jane', uid: '7', groups: ['dev', 'qa'], extra: { scopes: ['b'], origin: ['a'] } },
  origin: new ClientOrigin(['10.0.0.1', '::1'], 'kubectl/v1'),
  received: 1_700_000_000_123_456,
};
const head = new EventHead(fields);
const state: EventState = {
  stage: 'ResponseComplete',
  reached: 1_700_000_001_000_000,
  actsAs: { name: 'joe', uid: '', groups: [], extra: {} },
  objectRef: { subresource: 'status', name: 'web', resource: 'pods', apiVersion: 'v1', namespace: 'shop', uid: 'u', resourceVersion: '5' },
  status: { code: 201 },
  requestObject: '{"a":9007199254740993}',
  responseObject: '{"b":1}',
  annotations: new Map([
    ['b/two', '2'],
    ['a/one', '1'],
  ]),
};

test('is JSON with its members in the order of 1.32', () => {
  assert.is(
    new AuditEvent(head, state).json(),
    '{"kind":"Event","apiVersion":"audit.cluster.io/v1","level":"RequestResponse","auditID":"abc","stage":"ResponseComplete",' +
      '"requestURI":"/api/v1/namespaces/shop/pods?x=\\"y\\"","verb":"create",' +
      '"user":{"username":"jane","uid":"7","groups":["dev","qa"],"extra":{"origin":["a"],"scopes":["b"]}},"impersonatedUser":{"username":"joe"},' +
      '"sourceIPs":["10.0.0.1","::1"],"userAgent":"kubectl/v1",' +
      '"objectRef":{"resource":"pods","namespace":"shop","name":"web","uid":"u","apiVersion":"v1","resourceVersion":"5","subresource":"status"},' +
      '"responseStatus":{"metadata":{},"code":201},"requestObject":{"a":9007199254740993},"responseObject":{"b":1},' +
      '"requestReceivedTimestamp":"2023-11-14T22:13:20.123456Z","stageTimestamp":"2023-11-14T22:13:21.000000Z",' +
      '"annotations":{"a/one":"1","b/two":"2"}}',
  );
});

test('leaves out what there is not', () => {
  const event = new AuditEvent(new EventHead({ ...fields, level: 'Metadata', user: undefined, origin: new ClientOrigin([], '') }), {
    stage: 'RequestReceived',
    reached: fields.received,
    annotations: new Map(),
  });
  assert.is(
    event.json(),
    '{"kind":"Event","apiVersion":"audit.cluster.io/v1","level":"Metadata","auditID":"abc","stage":"RequestReceived",' +
      '"requestURI":"/api/v1/namespaces/shop/pods?x=\\"y\\"","verb":"create","user":{},' +
      '"requestReceivedTimestamp":"2023-11-14T22:13:20.123456Z","stageTimestamp":"2023-11-14T22:13:20.123456Z"}',
  );
  assert.is(
    event.legacy(),
    '2023-11-14T22:13:20.123456Z AUDIT: id="abc" stage="RequestReceived" ip="<unknown>" method="create" user="<none>" groups="<none>" ' +
      'as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/api/v1/namespaces/shop/pods?x=\\"y\\"" response="<deferred>"',
  );
});

test('is a line of the older form', () => {
  assert.is(
    new AuditEvent(head, { ...state, reached: 0 }).legacy(),
    '2023-11-14T22:13:20.123456Z AUDIT: id="abc" stage="ResponseComplete" ip="10.0.0.1" method="create" user="jane" groups="\\"dev\\",\\"qa\\"" ' +
      'as="joe" asgroups="" user-agent="kubectl/v1" namespace="shop" uri="/api/v1/namespaces/shop/pods?x=\\"y\\"" response="201"',
  );
});

test('can do without bodies, and says so', () => {
  const event = JSON.parse(new AuditEvent(head, state).withoutBodies('audit.cluster.io/truncated').json());
  assert.equal(
    [event.requestObject, event.responseObject, event.annotations['audit.cluster.io/truncated']],
    [undefined, undefined, 'true'],
  );
});

test('has the bytes of a body as they are', () => {
  const requestObject = Buffer.from('{"ü":1}');
  for (const bodies of [
    { requestObject },
    { responseObject: requestObject },
    { requestObject, responseObject: requestObject },
    { requestObject, responseObject: '"a"' },
  ]) {
    const { requestObject: _, responseObject: __, ...rest } = state;
    const event = new AuditEvent(head, { ...rest, ...bodies });
    const texts = Object.fromEntries(Object.entries(bodies).map(([name, json]) => [name, json.toString()]));
    assert.is(event.json(), new AuditEvent(head, { ...rest, ...texts }).json());
    assert.is(event.length, Buffer.byteLength(event.json()));
    assert.is(Buffer.concat(event.pieces('\n').map((piece) => Buffer.from(piece as string))).toString(), `${event.json()}\n`);
  }
});

const text = fc.oneof(
  fc.string({ unit: 'binary-ascii' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', 'a"b', 'back\\slash', '\u2028', '\ud800', 'tab\t'),
);
const user = fc.record({
  name: text,
  uid: text,
  groups: fc.array(text, { maxLength: 3 }),
  extra: fc.dictionary(
    fc.string().map((key) => `x-${key}`),
    fc.array(text, { maxLength: 2 }),
    { maxKeys: 3 },
  ),
});
const status = fc.record(
  {
    status: fc.constantFrom('Success' as const, 'Failure' as const),
    message: text,
    reason: fc.constantFrom('NotFound' as const, 'Conflict' as const),
    code: fc.integer({ min: 100, max: 599 }),
  },
  { requiredKeys: [] },
);
const reference = fc.record(
  { resource: text, namespace: text, name: text, uid: text, apiGroup: text, apiVersion: text, resourceVersion: text, subresource: text },
  { requiredKeys: [] },
);
const time = fc.integer({ min: 0, max: 4_000_000_000_000_000 });
const fieldsOf = fc.record({
  auditID: text,
  requestURI: text,
  verb: text,
  user: fc.option(user, { nil: undefined }),
  sourceIPs: fc.array(text, { maxLength: 3 }),
  userAgent: text,
  received: time,
});
const statesOf = fc.record({
  reached: time,
  actsAs: fc.option(user, { nil: undefined }),
  objectRef: fc.option(reference, { nil: undefined }),
  status: fc.option(status, { nil: undefined }),
  requestObject: fc.option(fc.json(), { nil: undefined }),
  responseObject: fc.option(fc.json(), { nil: undefined }),
  annotations: fc.dictionary(
    text.map((key) => `example.com/${key}`),
    text,
    { maxKeys: 4 },
  ),
});

test('is what JSON.stringify makes of its members', () => {
  const userOf = ({ name, uid, groups, extra }: User) => ({
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(Object.keys(extra).length > 0 && { extra: sorted(extra) }),
  });
  const sorted = (map: object) => Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
  const timeOf = (microseconds: number) =>
    `${new Date(Math.floor(microseconds / 1_000)).toISOString().slice(0, 23)}${String(microseconds % 1_000).padStart(3, '0')}Z`;
  fc.assert(
    fc.property(fieldsOf, statesOf, fc.boolean(), ({ sourceIPs, userAgent, ...rest }, { annotations, ...reach }, isBytes) => {
      const made = new EventHead({
        ...rest,
        apiVersion: 'audit.cluster.io/v1',
        level: 'Request',
        origin: new ClientOrigin(sourceIPs, userAgent),
      });
      const { requestObject, responseObject } = reach;
      const bodies = isBytes && responseObject !== undefined ? { responseObject: Buffer.from(responseObject) } : {};
      const event = new AuditEvent(made, {
        ...reach,
        ...bodies,
        stage: 'ResponseComplete',
        annotations: new Map(Object.entries(annotations)),
      });
      const { objectRef: of = {} } = reach;
      const { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } = of;
      const expected = {
        kind: 'Event',
        apiVersion: 'audit.cluster.io/v1',
        level: 'Request',
        auditID: rest.auditID,
        stage: 'ResponseComplete',
        requestURI: rest.requestURI,
        verb: rest.verb,
        user: rest.user === undefined ? {} : userOf(rest.user),
        ...(reach.actsAs !== undefined && { impersonatedUser: userOf(reach.actsAs) }),
        ...(sourceIPs.length > 0 && { sourceIPs }),
        ...(userAgent !== '' && { userAgent }),
        ...(reach.objectRef && {
          objectRef: { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource },
        }),
        ...(reach.status && { responseStatus: { metadata: {}, ...reach.status } }),
        ...(requestObject !== undefined && { requestObject: 'R' }),
        ...(responseObject !== undefined && { responseObject: 'A' }),
        requestReceivedTimestamp: timeOf(rest.received),
        stageTimestamp: timeOf(reach.reached),
        ...(Object.keys(annotations).length > 0 && { annotations: sorted(annotations) }),
      };
      const [before, after] = JSON.stringify(expected).split(',"requestReceivedTimestamp":') as [string, string];
      const whole = before
        .replace(/,"requestObject":"R"/, () => `,"requestObject":${requestObject}`)
        .replace(/,"responseObject":"A"$/, () => `,"responseObject":${responseObject}`);
      assert.is(event.json(), `${whole},"requestReceivedTimestamp":${after}`);
    }),
    { numRuns: 200 },
  );
});

test('of a client has what its connection had before, and what others say for it', () => {
  const socket = { remoteAddress: '10.0.0.1' };
  const origin = (headers: object) => clientOf({ headers, socket } as never, undefined).origin;
  const first = origin({ 'user-agent': 'a' });
  assert.is(first.members, ',"sourceIPs":["10.0.0.1"],"userAgent":"a"');
  assert.is(origin({ 'user-agent': 'a' }), first);
  assert.is(origin({ 'user-agent': 'b' }).members, ',"sourceIPs":["10.0.0.1"],"userAgent":"b"');
  assert.is(origin({ 'user-agent': 'b', 'x-real-ip': '10.0.0.9' }).members, ',"sourceIPs":["10.0.0.9","10.0.0.1"],"userAgent":"b"');
  assert.is(origin({}).members, ',"sourceIPs":["10.0.0.1"]');
  assert.is(origin({ 'user-agent': Buffer.from('Zoë/1').toString('latin1') }).userAgent, 'Zoë/1');
  assert.is(origin({ 'user-agent': 'x'.repeat(2_000) }).userAgent, `${'x'.repeat(1_024)}...TRUNCATED`);
});

test('knows a user by their connection', () => {
  const jane = { name: 'jane', uid: '7', groups: ['dev', 'qa'], extra: { node: ['a'] } };
  const request = { headers: { 'user-agent': 'a' }, socket: {} } as never;
  assert.is(clientOf(request, jane).user, jane);
  assert.is(clientOf(request, structuredClone(jane)).user, jane);
  const others: (User | undefined)[] = [
    undefined,
    { ...jane, name: 'joe' },
    { ...jane, uid: '8' },
    { ...jane, groups: ['dev'] },
    { ...jane, groups: ['qa', 'dev'] },
    { ...jane, extra: {} },
    { ...jane, extra: { node: ['b'] } },
    { ...jane, extra: { nodes: ['a'] } },
    { ...jane, extra: { node: ['a'], zone: ['a'] } },
  ];
  for (const other of others) {
    assert.is(clientOf(request, jane).user?.name, 'jane');
    assert.is(clientOf(request, other).user, other);
  }
  assert.is(clientOf({ headers: {}, socket: {} } as never, jane).user, jane);
});

const times: [microseconds: number, text: string][] = [
  [0, '1970-01-01T00:00:00.000000Z'],
  [1_000_001, '1970-01-01T00:00:01.000001Z'],
  [999_999, '1970-01-01T00:00:00.999999Z'],
];
for (const [microseconds, text] of times) test(`happens at ${text}`, () => assert.is(microTime(microseconds), text));

test.run();
