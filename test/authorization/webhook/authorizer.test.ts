import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { WebhookAuthorizer, type WebhookAuthorizerOptions } from '../../../runtime/authorization/webhook/authorizer.ts';
import { MatchConditions } from '../../../runtime/authorization/webhook/match-conditions.ts';
import { REVIEW_TYPE } from '../../../runtime/authorization/webhook/review-types.ts';
import { webhookMetrics } from '../../../runtime/authorization/webhook/webhook-metrics.ts';
import { compileExpression } from '../../../runtime/expressions/expression.ts';
import { mustBe } from '../../../runtime/expressions/expression-problems.ts';
import { BOOL } from '../../../runtime/expressions/types/type.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { parseFieldSelector } from '../../../runtime/selectors/field-selector-text.ts';
import { parseLabelSelector } from '../../../runtime/selectors/label-selector-text.ts';
import { action, path, user } from '../attributes.ts';
import { DecidingService, type Reply } from './service.ts';

const ALICE = { ...user('alice', 'dev'), uid: '1', extra: { scopes: ['a'] } };
const test = suite('decisions of a service');
let service: DecidingService;
let authorizer: WebhookAuthorizer;
let metrics = new Metrics(metricsData);

function create(options: Partial<WebhookAuthorizerOptions> = {}): WebhookAuthorizer {
  authorizer?.close();
  authorizer = new WebhookAuthorizer({
    name: 'test',
    peer: { server: service.url, token: 'secret' },
    group: 'authorization.k8s.io',
    version: 'v1',
    authorizedTtl: 60_000,
    unauthorizedTtl: 60_000,
    timeout: 2_000,
    failureDecision: 'noOpinion',
    retries: { attempts: 2, wait: 1 },
    failed: () => {},
    metrics: webhookMetrics(metrics),
    ...options,
  });
  return authorizer;
}

test.before(async () => {
  service = await new DecidingService().start();
});
test.before.each(() => {
  service.asked.length = 0;
  service.reply = () => ({ status: { allowed: true } });
});
test.after(async () => {
  authorizer.close();
  await service.stop();
});

test('asks about a resource', async () => {
  await create().authorize({
    ...action(ALICE, 'list apps:deployments/scale d in a'),
    fieldSelector: parseFieldSelector('metadata.name=d,spec.x!=y'),
    labelSelector: parseLabelSelector('app in (a,b),!gone,tier').requirements,
  });
  assert.equal(service.asked, [
    {
      kind: 'SubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: { creationTimestamp: null },
      spec: {
        resourceAttributes: {
          namespace: 'a',
          verb: 'list',
          group: 'apps',
          version: 'v1',
          resource: 'deployments',
          subresource: 'scale',
          name: 'd',
          fieldSelector: {
            requirements: [
              { key: 'metadata.name', operator: 'In', values: ['d'] },
              { key: 'spec.x', operator: 'NotIn', values: ['y'] },
            ],
          },
          labelSelector: {
            requirements: [
              { key: 'app', operator: 'In', values: ['a', 'b'] },
              { key: 'gone', operator: 'DoesNotExist' },
              { key: 'tier', operator: 'Exists' },
            ],
          },
        },
        user: 'alice',
        groups: ['dev'],
        extra: { scopes: ['a'] },
        uid: '1',
      },
      status: { allowed: false },
    },
  ]);
});
test('asks about a path, in the older version too', async () => {
  await create({ version: 'v1beta1' }).authorize(path(ALICE, 'get /x'));
  const [{ apiVersion, spec }] = service.asked;
  assert.is(apiVersion, 'authorization.k8s.io/v1beta1');
  assert.equal(spec, {
    nonResourceAttributes: { path: '/x', verb: 'get' },
    user: 'alice',
    extra: { scopes: ['a'] },
    uid: '1',
    group: ['dev'],
  });
});

const answers: [what: string, reply: Reply, decision: object][] = [
  ['allowed', { status: { allowed: true, reason: 'because' } }, { decision: 'allow', reason: 'because' }],
  ['no opinion', { status: { allowed: false, reason: 'why' } }, { decision: 'noOpinion', reason: 'why' }],
  ['denied', { status: { allowed: false, denied: true, reason: 'no' } }, { decision: 'deny', reason: 'no' }],
  [
    'both',
    { status: { allowed: true, denied: true } },
    { decision: 'deny', reason: '', error: 'webhook subject access review returned both allow and deny response' },
  ],
  ['nothing', { status: {} }, { decision: 'noOpinion', reason: '' }],
  ['null', { status: { allowed: null, denied: null, reason: null } }, { decision: 'noOpinion', reason: '' }],
  // as in 1.32, where what is absent has its zero value
  ['no status', { text: '{}' }, { decision: 'noOpinion', reason: '' }],
  ['null in place of a review', { text: 'null' }, { decision: 'noOpinion', reason: '' }],
  ['no kind', { text: '{"status":{"allowed":true}}' }, { decision: 'allow', reason: '' }],
  ['created', { code: 201, status: { allowed: true } }, { decision: 'allow', reason: '' }],
];
for (const [what, reply, decision] of answers)
  test(`answers: ${what}`, async () => {
    service.reply = () => reply;
    assert.equal(await create().authorize(action(ALICE, 'get pods p in a')), decision);
  });

const failures: [what: string, reply: Reply, error: RegExp, attempts: number][] = [
  ['an error of its own', { code: 500, text: '' }, /an error on the server \("unknown"\) has prevented the request from succeeding$/, 2],
  ['too many requests', { code: 429, text: '' }, /too many requests/i, 2],
  ['a refusal', { code: 403, text: '' }, /forbidden|unknown/, 1],
  [
    'a wrong type of denied',
    { status: { allowed: true, denied: 'true' } },
    /cannot unmarshal string into Go struct field \S+\.denied of type bool/,
    1,
  ],
  ['a wrong type of allowed', { status: { allowed: 'true' } }, /cannot unmarshal string into Go struct field \S+\.allowed of type bool/, 1],
  [
    'a wrong type of reason',
    { status: { allowed: true, reason: 5 } },
    /cannot unmarshal number into Go struct field \S+\.reason of type string/,
    1,
  ],
  [
    'a wrong type of an error',
    { status: { allowed: true, evaluationError: {} } },
    /cannot unmarshal object into Go struct field \S+\.evaluationError of type string/,
    1,
  ],
  ['no JSON', { text: 'yes' }, /couldn't get version\/kind; json parse error/, 1],
  ['nothing at all', { text: '' }, /0-length response with status code: 200 and content type: application\/json$/, 1],
  [
    'a status that is none',
    { text: '{"status":[]}' },
    /cannot unmarshal array into Go struct field SubjectAccessReview\.status of type v1\.SubjectAccessReviewStatus/,
    1,
  ],
  [
    'a review of another version',
    { text: '{"apiVersion":"authorization.k8s.io/v1beta1","kind":"SubjectAccessReview","status":{"allowed":true}}' },
    /converting \(v1beta1\.SubjectAccessReview\) to \(v1\.SubjectAccessReview\): unknown conversion/,
    1,
  ],
  ['a review of another kind', { text: '{"kind":"TokenReview","status":{"allowed":true}}' }, /no kind "TokenReview" is registered/, 1],
];
for (const [what, reply, error, attempts] of failures)
  for (const failureDecision of ['deny', 'noOpinion'] as const)
    test(`${what}: ${failureDecision}`, async () => {
      service.reply = () => reply;
      let logged: unknown;
      const decision = await create({ failureDecision, failed: (failure) => (logged = failure) }).authorize(
        action(ALICE, 'get pods p in a'),
      );
      assert.is(decision.decision, failureDecision);
      assert.match(decision.error ?? '', error);
      assert.match(String(logged), error);
      assert.is(service.asked.length, attempts);
    });
test('no answer in time', async () => {
  // one of its own: the question may come when another test has begun
  const silent = await new DecidingService().start();
  silent.reply = () => ({ never: true });
  const address = silent.url;
  const asking = create({ peer: { server: address }, timeout: 20, retries: { attempts: 1, wait: 1 }, failureDecision: 'deny' });
  const decision = await asking.authorize(action(ALICE, 'get pods p in a'));
  await silent.stop();
  assert.is(decision.decision, 'deny');
  const late = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  assert.is(decision.error, `Post "${address}?timeout=20ms": ${late}`);
});

test('answers hold for their time, by what was decided', async () => {
  const asking = create({ authorizedTtl: 60_000, unauthorizedTtl: 0 });
  const question = action(ALICE, 'get pods p in a');
  await asking.authorize(question);
  await asking.authorize(question);
  assert.is(service.asked.length, 1);
  service.reply = () => ({ status: { allowed: false } });
  await asking.authorize(action(ALICE, 'get pods q in a'));
  await asking.authorize(action(ALICE, 'get pods q in a'));
  assert.is(service.asked.length, 3);
});
test('an answer is for nobody else, and nothing else', async () => {
  const asking = create();
  const question = action(ALICE, 'get pods p in a');
  const others = [
    question,
    { ...question, user: { ...ALICE, name: 'bob' } },
    { ...question, user: { ...ALICE, uid: '2' } },
    { ...question, user: { ...ALICE, groups: [] } },
    { ...question, user: { ...ALICE, extra: {} } },
    { ...question, verb: 'list' },
    { ...question, namespace: 'b' },
    { ...question, name: 'q' },
    { ...question, subresource: 'log' },
    { ...question, version: 'v2' },
    { ...question, fieldSelector: parseFieldSelector('metadata.name=x') },
    path(ALICE, 'get /pods'),
  ];
  for (const each of others) await asking.authorize(each);
  assert.is(service.asked.length, others.length);
});
test('the same question is asked once at a time', async () => {
  const asking = create({ authorizedTtl: 0 });
  await Promise.all(Array.from({ length: 5 }, () => asking.authorize(action(ALICE, 'get pods p in a'))));
  assert.is(service.asked.length, 1);
});
test('failures are not kept', async () => {
  const asking = create({ retries: { attempts: 1, wait: 1 } });
  service.reply = () => ({ code: 500, text: '' });
  assert.is((await asking.authorize(action(ALICE, 'get pods p in a'))).decision, 'noOpinion');
  service.reply = () => ({ status: { allowed: true } });
  assert.is((await asking.authorize(action(ALICE, 'get pods p in a'))).decision, 'allow');
});
test('long questions are asked each time', async () => {
  const asking = create();
  const long = { ...action(ALICE, 'get pods p in a'), name: 'x'.repeat(11_000) };
  await asking.authorize(long);
  await asking.authorize(long);
  assert.is(service.asked.length, 2);
});

const conditions: [what: string, expressions: string[], decision: string, asked: boolean][] = [
  ['all true', ["request.user == 'alice'", "'dev' in request.groups"], 'allow', true],
  ['one false', ["request.user == 'alice'", "request.user == 'bob'"], 'noOpinion', false],
  ['one false, one fails', ["request.nonResourceAttributes.path == '/'", "request.user == 'bob'"], 'noOpinion', false],
  ['one true, one fails', ["request.user == 'alice'", "request.nonResourceAttributes.path == '/'"], 'deny', false],
];
for (const [what, expressions, decision, asked] of conditions)
  test(`conditions: ${what}`, async () => {
    const compiled = expressions.map((source) =>
      compileExpression(source, { variables: { request: REVIEW_TYPE }, otherType: mustBe(BOOL), budget: 10_000 }),
    );
    const asking = create({ conditions: new MatchConditions(compiled), failureDecision: 'deny' });
    assert.is((await asking.authorize(action(ALICE, 'get pods p in a'))).decision, decision);
    assert.is(service.asked.length, asked ? 1 : 0);
  });
const figures: [what: string, options: Partial<WebhookAuthorizerOptions>, reply: Reply, shown: string[]][] = [
  ['an answer', {}, { status: { allowed: true } }, ['webhook_evaluations_total{name="test",result="success"} 1']],
  [
    'an answer that is no review, tried once',
    { retries: { attempts: 1, wait: 1 } },
    { text: '[]' },
    ['webhook_evaluations_total{name="test",result="error"} 1', 'webhook_evaluations_fail_open_total{name="test",result="error"} 1'],
  ],
  [
    'a failure that denies',
    { retries: { attempts: 1, wait: 1 }, failureDecision: 'deny' },
    { code: 500 },
    ['webhook_evaluations_total{name="test",result="error"} 1'],
  ],
  [
    'no answer in time',
    { retries: { attempts: 1, wait: 1 }, timeout: 50 },
    { never: true },
    ['webhook_evaluations_total{name="test",result="timeout"} 1', 'webhook_evaluations_fail_open_total{name="test",result="timeout"} 1'],
  ],
  [
    'a condition that is false',
    { conditions: condition("request.user == 'bob'") },
    {},
    ['match_condition_exclusions_total{name="test",type="Webhook"} 1'],
  ],
  [
    'a condition that fails',
    { conditions: condition("request.nonResourceAttributes.path == '/'") },
    {},
    ['match_condition_evaluation_errors_total{name="test",type="Webhook"} 1'],
  ],
];
function condition(source: string): MatchConditions {
  return new MatchConditions([compileExpression(source, { variables: { request: REVIEW_TYPE }, otherType: mustBe(BOOL), budget: 10_000 })]);
}
for (const [what, options, reply, shown] of figures)
  test(`figures of ${what}`, async () => {
    metrics = new Metrics(metricsData);
    service.reply = () => reply;
    await create(options).authorize(action(ALICE, 'get pods p in a'));
    const lines = (await metrics.text()).body.split('\n').filter((line) => /^apiserver_authorization_\w+_total/.test(line));
    assert.equal(
      lines,
      shown.map((line) => `apiserver_authorization_${line}`),
    );
  });
test('lists no rules', () =>
  assert.equal(create().rules(), {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'webhook authorizer does not support user rule resolution',
  }));
test('a question is given up when nobody waits for its answer, and asked anew by who comes then', async () => {
  create();
  const begun = Promise.withResolvers<void>();
  service.reply = () => {
    begun.resolve();
    return { never: true };
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const refusals = [first, second].map(({ signal }) =>
    Promise.resolve(authorizer.authorize(action(ALICE, 'get pods'), { signal })).then(
      () => 'decided',
      (error) => error.message,
    ),
  );
  await begun.promise;
  first.abort(new Error('the first has left'));
  assert.is(await refusals[0], 'the first has left');
  assert.is(service.asked.length, 1);
  second.abort(new Error('the second has left'));
  assert.is(await refusals[1], 'the second has left');
  await service.left();
  service.reply = () => ({ status: { allowed: true } });
  assert.is((await authorizer.authorize(action(ALICE, 'get pods'))).decision, 'allow');
  assert.is(service.asked.length, 2);
});

test.run();
