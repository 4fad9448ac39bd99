import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AccessQuestion, AUTHORIZER, AuthorizerValue } from '../../../runtime/expressions/libraries/authorizer/authorizer-values.ts';
import { kubernetesLibraries } from '../../../runtime/expressions/libraries/kubernetes.ts';
import { compileError, evaluate, result } from './evaluation.ts';

const LIBRARIES = kubernetesLibraries(32);
const asked: AccessQuestion[] = [];
const authorizer = {
  type: AUTHORIZER,
  value: new AuthorizerValue((question) => {
    asked.push(question);
    return question.verb === 'fail'
      ? { isAllowed: false, reason: '', error: 'it burns' }
      : { isAllowed: question.verb === 'get', reason: 'so it is' };
  }),
};
const ask = (expression: string): unknown => result(expression, LIBRARIES, { authorizer });
const NOTHING = { path: '', group: '', resource: '', subresource: '', namespace: '', name: '' };

const questions: readonly (readonly [check: string, question: Partial<AccessQuestion>])[] = [
  ["path('/healthz')", { ...NOTHING, isResource: false, path: '/healthz' }],
  ["group('apps').resource('deployments')", { ...NOTHING, isResource: true, group: 'apps', resource: 'deployments' }],
  [
    "group('').resource('pods').subresource('status').namespace('n').name('p')",
    { ...NOTHING, isResource: true, resource: 'pods', subresource: 'status', namespace: 'n', name: 'p' },
  ],
  [
    "serviceAccount('n', 'robot').group('').resource('pods')",
    { ...NOTHING, isResource: true, resource: 'pods', serviceAccount: { namespace: 'n', name: 'robot' } },
  ],
  [
    "group('').resource('pods').fieldSelector('spec.nodeName=a')",
    { ...NOTHING, isResource: true, resource: 'pods', fieldSelector: [{ field: 'spec.nodeName', operator: '=', value: 'a' }] },
  ],
  ["group('').resource('pods').fieldSelector('a b')", { ...NOTHING, isResource: true, resource: 'pods' }],
  ["group('').resource('pods').labelSelector('a in (')", { ...NOTHING, isResource: true, resource: 'pods' }],
];

const test = suite('authorizers in expressions');
for (const [check, question] of questions)
  test(`asks for ${check}`, () => {
    asked.length = 0;
    assert.is(ask(`authorizer.${check}.check('get').allowed()`), true);
    assert.equal(asked, [{ ...question, verb: 'get' }]);
  });
test('tell why', () => {
  assert.is(ask("authorizer.path('/a').check('get').reason()"), 'so it is');
  assert.is(ask("authorizer.path('/a').check('get').errored()"), false);
  assert.is(ask("authorizer.path('/a').check('get').error()"), '');
  assert.is(ask("authorizer.path('/a').check('fail').errored()"), true);
  assert.is(ask("authorizer.path('/a').check('fail').error()"), 'it burns');
});
test('refuse what is no question', () => {
  assert.is(ask("authorizer.path(' ').check('get').allowed()"), 'error: path must not be empty');
  assert.is(ask("authorizer.group('').resource('').check('get').allowed()"), 'error: resource must not be empty');
  assert.is(ask("authorizer.serviceAccount('n', 'A')"), 'error: Invalid service account name');
  assert.is(ask("authorizer.serviceAccount('a.b', 'a')"), 'error: Invalid service account namespace');
});
test('take selectors where their gate is on', () => {
  const without = kubernetesLibraries(32, { authorizeWithSelectors: false });
  const expression = "authorizer.group('').resource('pods').labelSelector('a=b').check('list').allowed()";
  assert.match(compileError(expression, without, { authorizer }), "undeclared reference to 'labelSelector'");
});
test('are asked at a high price', () =>
  assert.is(evaluate("authorizer.path('/a').check('get').allowed()", LIBRARIES, { authorizer }).cost, 350_003));
test.run();
