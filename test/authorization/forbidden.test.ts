import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessAttributes } from '../../runtime/authorization/authorizer.ts';
import { forbiddenBy } from '../../runtime/authorization/forbidden.ts';

const test = suite('what a refused request is told');

const PODS: AccessAttributes = {
  user: { name: 'u', uid: '', groups: [], extra: {} },
  isResource: true,
  verb: 'get',
  path: '',
  group: '',
  version: 'v1',
  namespace: 'n',
  resource: 'pods',
  subresource: '',
  name: 'p',
};

const messageOf = (attributes: Partial<AccessAttributes>, reason = ''): string =>
  forbiddenBy({ ...PODS, ...attributes }, { decision: 'noOpinion', reason }).status.message ?? '';

test('the resource, the place and the reason', () => {
  assert.is(
    messageOf({}, 'because'),
    'pods "p" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "n": because',
  );
});

test('no resource', () => {
  assert.is(messageOf({ resource: '', namespace: '' }), 'forbidden: User "u" cannot get resource "" in API group "" at the cluster scope');
});

test('nothing that a browser takes for markup in what the client has chosen', () => {
  assert.is(messageOf({ isResource: false, path: '/<b>&' }, '<r>'), 'forbidden: User "u" cannot get path "/&lt;b&gt;&amp;": <r>');
  assert.is(
    messageOf({ resource: 'a<b', namespace: '' }),
    'a<b "p" is forbidden: User "u" cannot get resource "a&lt;b" in API group "" at the cluster scope',
  );
});

test.run();
