import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuditEvent, EventHead, type EventState, type HeadFields, microTime } from '../../runtime/audit/audit-event.ts';

const test = suite('an audit event');
const fields: HeadFields = {
  apiVersion: 'audit.cluster.io/v1',
  level: 'RequestResponse',
  auditID: 'abc',
  requestURI: '/api/v1/namespaces/shop/pods?x="y"',
  verb: 'create',
  user: { name: 'jane', uid: '7', groups: ['dev', 'qa'], extra: { scopes: ['b'], origin: ['a'] } },
  sourceIPs: ['10.0.0.1', '::1'],
  userAgent: 'kubectl/v1',
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
  const event = new AuditEvent(new EventHead({ ...fields, level: 'Metadata', user: undefined, sourceIPs: [], userAgent: '' }), {
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
    '2023-11-14T22:13:20.123456Z AUDIT: id="abc" stage="ResponseComplete" ip="10.0.0.1" method="create" user="jane" groups="dev","qa" ' +
      'as="joe" asgroups= user-agent="kubectl/v1" namespace="shop" uri="/api/v1/namespaces/shop/pods?x=\\"y\\"" response="201"',
  );
});

test('can do without bodies, and says so', () => {
  const event = JSON.parse(new AuditEvent(head, state).withoutBodies('audit.cluster.io/truncated').json());
  assert.equal(
    [event.requestObject, event.responseObject, event.annotations['audit.cluster.io/truncated']],
    [undefined, undefined, 'true'],
  );
});

const times: [microseconds: number, text: string][] = [
  [0, '1970-01-01T00:00:00.000000Z'],
  [1_000_001, '1970-01-01T00:00:01.000001Z'],
  [999_999, '1970-01-01T00:00:00.999999Z'],
];
for (const [microseconds, text] of times) test(`happens at ${text}`, () => assert.is(microTime(microseconds), text));

test.run();
