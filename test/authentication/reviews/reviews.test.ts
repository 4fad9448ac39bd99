import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reviewSelf } from '../../../runtime/authentication/reviews/self-subject-review.ts';
import { reviewToken } from '../../../runtime/authentication/reviews/token-review.ts';
import type { TokenAnswer } from '../../../runtime/authentication/token-answer.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { object } from '../../kinds/context.ts';

const test = suite('reviews of authentication');
const version = 'authentication.k8s.io/v1';
const alice = { name: 'alice', uid: 'u1', groups: ['dev'], extra: { b: ['2'], a: ['1'] } };

test('callers learn who they are, whatever they wrote', () => {
  const question = object(version, 'SelfSubjectReview', { status: { userInfo: { username: 'root' } } }, { labels: { a: 'b' } });
  assert.is(
    JSON.stringify(reviewSelf(question, alice, Date.parse('2026-01-01T00:00:00.900Z'))),
    `{"kind":"SelfSubjectReview","apiVersion":"${version}","metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"},` +
      '"status":{"userInfo":{"username":"alice","uid":"u1","groups":["dev"],"extra":{"a":["1"],"b":["2"]}}}}',
  );
});

test('a user without groups and extra', () => {
  const question = object(version, 'SelfSubjectReview', {});
  assert.equal(reviewSelf(question, { name: 'x', uid: '', groups: [], extra: {} }, 0).status, { userInfo: { username: 'x' } });
});

const rows: [string, object, TokenAnswer, { asked: string[]; status: object }][] = [
  [
    'of this server',
    { token: 't' },
    { user: alice, audiences: ['api'] },
    { asked: ['api'], status: { authenticated: true, audiences: ['api'] } },
  ],
  [
    'for one of two audiences',
    { token: 't', audiences: ['vault', 'mail'] },
    { user: alice, audiences: ['vault'] },
    { asked: ['vault', 'mail'], status: { authenticated: true, audiences: ['vault'] } },
  ],
  [
    'that nobody knows',
    { token: 't' },
    { error: 'invalid bearer token' },
    { asked: ['api'], status: { user: {}, error: 'invalid bearer token' } },
  ],
];
for (const [name, spec, answer, expected] of rows) {
  test(`a token ${name}`, async () => {
    let asked: readonly string[] = [];
    const authenticate = (_token: string, audiences: readonly string[]): TokenAnswer => {
      asked = audiences;
      return answer;
    };
    const review = await reviewToken(object(version, 'TokenReview', { spec, status: { user: {} } }), authenticate, ['api']);
    const { user, ...status } = review.status;
    assert.equal(asked, expected.asked);
    assert.equal(review.spec, spec);
    assert.equal('user' in answer ? status : { user, ...status }, expected.status);
    if ('user' in answer) assert.is(user.username, 'alice');
  });
}

test('a review without token is a bad request', async () => {
  const error = await reviewToken(object(version, 'TokenReview', { spec: {} }), () => ({ error: '' }), []).catch(
    (thrown: unknown) => thrown,
  );
  assert.instance(error, StatusError);
  assert.equal([(error as StatusError).code, (error as StatusError).message], [400, 'token is required for TokenReview in authentication']);
});

for (const [token, asked] of [
  [' ', []],
  ['\t\n', []],
  [' abc', []],
  ['abc ', ['abc']],
  ['abc def', ['abc']],
] as const)
  test(`the token ${JSON.stringify(token)} is cut like one of a header`, async () => {
    const tokens: string[] = [];
    const authenticate = (each: string): TokenAnswer => {
      tokens.push(each);
      return { error: 'invalid bearer token' };
    };
    const { status } = await reviewToken(object(version, 'TokenReview', { spec: { token } }), authenticate, []);
    assert.equal([tokens, status], [asked, { user: {}, ...(asked.length > 0 && { error: 'invalid bearer token' }) }]);
  });

test('a token for audiences that nobody asked for is a fault', async () => {
  const question = object(version, 'TokenReview', { spec: { token: 't' } });
  const error = await reviewToken(question, () => ({ user: alice, audiences: ['other'] }), ['api']).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Error && !(error instanceof StatusError));
});

test.run();
