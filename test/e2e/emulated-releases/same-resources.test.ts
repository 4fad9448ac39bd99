/** Older versions of a resource are the same resource as its newer ones: for rules of webhooks, and for what is valid in each. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../../harness/eventually.ts';
import { withServer } from './server.ts';

const test = suite('versions of one resource');

test('rules that name a version of what is not stored mean its other versions too', () =>
  withServer('1.20', {}, async (server) => {
    const rule = { apiGroups: ['authorization.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['subjectaccessreviews'] };
    const webhook = {
      name: 'a.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [rule],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const configuration = { metadata: { name: 'a' }, webhooks: [webhook] };
    await server.call('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', configuration);
    const review = { spec: { user: 'a', groups: ['b'], nonResourceAttributes: { path: '/', verb: 'get' } } };
    const asks = (version: string) => server.call('POST', `/apis/authorization.k8s.io/${version}/subjectaccessreviews`, review);
    await eventually('the webhook is asked', async () => (await asks('v1')).status === 500);
    const { status, body } = await asks('v1beta1');
    assert.is(status, 500, JSON.stringify(body));
    assert.match(body.message, /failed calling webhook "a\.example\.com"/);
  }));

test('events of v1beta1 need not say as much as those of v1', () =>
  withServer('1.20', {}, async (server) => {
    const event = {
      metadata: { name: 'e' },
      regarding: { namespace: 'default' },
      eventTime: '2017-08-09T15:04:05.000000Z',
      reportingController: 'example.com/controller',
      reportingInstance: 'node-a',
      action: 'Rested',
      reason: 'Tired',
    };
    const events = (version: string) => `/apis/events.k8s.io/${version}/namespaces/default/events`;
    const made = await server.call('POST', events('v1beta1'), event);
    assert.is(made.status, 201, JSON.stringify(made.body));
    const changed = await server.call('PUT', `${events('v1beta1')}/e`, { ...made.body, note: 'more' });
    assert.is(changed.status, 200, JSON.stringify(changed.body));
    const refused = await server.call('POST', events('v1'), { ...event, metadata: { name: 'f' } });
    assert.is(refused.status, 422);
    assert.match(refused.body.message, /type: Invalid value: "": has invalid value: /);
  }));
test.run();
