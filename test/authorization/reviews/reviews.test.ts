import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessAttributes, Decision } from '../../../runtime/authorization/authorizer.ts';
import {
  type DecidingAuthorizer,
  reviewLocalAccess,
  reviewSelfAccess,
  reviewSubjectAccess,
} from '../../../runtime/authorization/reviews/access-review.ts';
import { type RulesFor, reviewSelfRules } from '../../../runtime/authorization/reviews/self-subject-rules-review.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { StatusError } from '../../../runtime/status/status.ts';
import { lines, object, ruleContext } from '../../kinds/context.ts';
import { loadKind } from '../../kinds/kind.ts';

const test = suite('reviews of authorization');
const version = 'authorization.k8s.io/v1';
const alice = { name: 'alice', uid: '', groups: ['dev'], extra: {} };

class Recorder implements DecidingAuthorizer {
  asked: AccessAttributes | undefined;
  readonly #decision: Decision;
  constructor(decision: Decision) {
    this.#decision = decision;
  }
  authorize(attributes: AccessAttributes): Decision {
    this.asked = attributes;
    return this.#decision;
  }
}

const silent: Decision = { decision: 'noOpinion', reason: '' };

const rulesFor: RulesFor = (_user, namespace) => ({
  resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz'] }],
  incomplete: false,
  ...(namespace === 'broken' && { error: 'role.rbac.authorization.k8s.io "none" not found' }),
});

const review: Record<string, (question: ApiObject, authorizer: DecidingAuthorizer) => Promise<ApiObject>> = {
  SelfSubjectAccessReview: (question, authorizer) => reviewSelfAccess(question, alice, authorizer),
  SubjectAccessReview: reviewSubjectAccess,
  LocalSubjectAccessReview: (question, authorizer) => reviewLocalAccess(question, 'n', authorizer),
  SelfSubjectRulesReview: (question) => reviewSelfRules(question, alice, rulesFor),
};

async function ask(
  kind: string,
  spec: object,
  metadata: object = {},
  authorizer: DecidingAuthorizer = new Recorder(silent),
): Promise<ApiObject> {
  return (review[kind] as (typeof review)[string])(questionOf(kind, spec, metadata), authorizer);
}

function questionOf(kind: string, spec: object, metadata: object): ApiObject {
  const given = { name: undefined, namespace: undefined, creationTimestamp: null, ...metadata };
  return object(version, kind, { spec, status: { allowed: true } }, given);
}

const resource = { verb: 'list', resource: 'pods' };

const statuses: [string, Decision, object][] = [
  ['allowed', { decision: 'allow', reason: 'R' }, { allowed: true, reason: 'R' }],
  ['denied', { decision: 'deny', reason: 'D' }, { allowed: false, denied: true, reason: 'D' }],
  ['no opinion', silent, { allowed: false }],
  ['an error on the way', { ...silent, error: 'E' }, { allowed: false, evaluationError: 'E' }],
];
for (const [name, decision, expected] of statuses)
  test(`status: ${name}`, async () => {
    const answer = await ask('SelfSubjectAccessReview', { resourceAttributes: resource }, {}, new Recorder(decision));
    assert.equal([answer.spec, answer.status], [{ resourceAttributes: resource }, expected]);
  });

const questions: [string, string, object, Partial<AccessAttributes>][] = [
  [
    'about oneself',
    'SelfSubjectAccessReview',
    { resourceAttributes: { ...resource, namespace: 'n', group: 'apps', version: 'v1', subresource: 's', name: 'x' } },
    {
      user: alice,
      isResource: true,
      verb: 'list',
      namespace: 'n',
      group: 'apps',
      version: 'v1',
      resource: 'pods',
      subresource: 's',
      name: 'x',
      path: '',
    },
  ],
  [
    'about a subject',
    'SubjectAccessReview',
    { user: 'bob', uid: 'u', groups: ['g'], extra: { a: ['b'] }, nonResourceAttributes: { path: '/x', verb: 'get' } },
    { user: { name: 'bob', uid: 'u', groups: ['g'], extra: { a: ['b'] } }, isResource: false, path: '/x', verb: 'get', resource: '' },
  ],
  ['in any version', 'SubjectAccessReview', { user: 'bob', resourceAttributes: {} }, { version: '*', verb: '', resource: '' }],
  [
    'limited by selectors',
    'SubjectAccessReview',
    {
      user: 'bob',
      resourceAttributes: {
        ...resource,
        labelSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b'] }] },
        fieldSelector: { rawSelector: 'spec.nodeName=n' },
      },
    },
    {
      labelSelector: [{ key: 'a', operator: 'in', values: ['b'] }],
      fieldSelector: [{ field: 'spec.nodeName', operator: '=', value: 'n' }],
    },
  ],
];
for (const [name, kind, spec, expected] of questions)
  test(`asks ${name}`, async () => {
    const recorder = new Recorder(silent);
    await ask(kind, spec, {}, recorder);
    const asked = recorder.asked as unknown as Record<string, unknown>;
    for (const [member, value] of Object.entries(expected)) assert.equal(asked[member], value, member);
  });

const partly: [string, object, { error: string; left: unknown }][] = [
  [
    'an operator of a later release',
    { labelSelector: { requirements: [{ key: 'a', operator: 'Like', values: ['b'] }] } },
    { error: 'spec.resourceAttributes.labelSelector ignored due to parse error', left: undefined },
  ],
  [
    'two values of a field',
    {
      fieldSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['b', 'c'] },
          { key: 'd', operator: 'NotIn', values: ['e'] },
        ],
      },
    },
    {
      error: 'spec.resourceAttributes.fieldSelector partially ignored due to parse error',
      left: [{ field: 'd', operator: '!=', value: 'e' }],
    },
  ],
  [
    'a text that is no selector',
    { fieldSelector: { rawSelector: 'nonsense' } },
    { error: 'spec.resourceAttributes.fieldSelector ignored due to parse error', left: undefined },
  ],
];
for (const [name, selectors, expected] of partly)
  test(`leaves out ${name}, and says so`, async () => {
    const recorder = new Recorder(silent);
    const answer = await ask('SubjectAccessReview', { user: 'x', resourceAttributes: { ...resource, ...selectors } }, {}, recorder);
    assert.equal(answer.status, { allowed: false, evaluationError: expected.error });
    assert.equal(recorder.asked?.fieldSelector, expected.left);
  });

const NONE = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
const NOBODY = 'spec.user: Invalid value: "": at least one of user or group must be specified';
const path = 'spec.resourceAttributes';
const refused: [string, string, object, object, string][] = [
  ['nothing asked', 'SelfSubjectAccessReview', {}, {}, `${path}: Invalid value: "null": ${NONE}`],
  ['nothing asked of nobody', 'SubjectAccessReview', {}, {}, `[${path}: Invalid value: "null": ${NONE}, ${NOBODY}]`],
  ['nobody', 'SubjectAccessReview', { resourceAttributes: resource }, {}, NOBODY],
  [
    'both questions at once',
    'SelfSubjectAccessReview',
    { resourceAttributes: resource, nonResourceAttributes: {} },
    {},
    'spec.nonResourceAttributes: Invalid value: {}: cannot be specified in combination with resourceAttributes',
  ],
  [
    'a selector in both forms',
    'SelfSubjectAccessReview',
    { resourceAttributes: { labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] } } },
    {},
    `${path}.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
  ],
  [
    'an empty selector',
    'SelfSubjectAccessReview',
    { resourceAttributes: { fieldSelector: {} } },
    {},
    `${path}.fieldSelector.requirements: Required value: when ${path}.fieldSelector is specified, requirements or rawSelector is required`,
  ],
  [
    'a requirement without values',
    'SelfSubjectAccessReview',
    { resourceAttributes: { fieldSelector: { requirements: [{ key: 'a', operator: 'In' }] } } },
    {},
    `${path}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
  ],
  [
    'a requirement with values too many',
    'SelfSubjectAccessReview',
    { resourceAttributes: { labelSelector: { requirements: [{ key: 'a', operator: 'Exists', values: ['b'] }] } } },
    {},
    `${path}.labelSelector.requirements[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
  ],
  [
    'metadata',
    'SubjectAccessReview',
    { user: 'x', resourceAttributes: resource },
    { name: 'x' },
    'metadata: Invalid value: {"name":"x","creationTimestamp":null}: must be empty',
  ],
  [
    'another namespace',
    'LocalSubjectAccessReview',
    { user: 'x', resourceAttributes: { ...resource, namespace: 'other' } },
    { namespace: 'n' },
    `${path}.namespace: Invalid value: "other": must match metadata.namespace`,
  ],
  [
    'a path in a namespace',
    'LocalSubjectAccessReview',
    { user: 'x', nonResourceAttributes: { path: '/' } },
    { namespace: 'n' },
    'spec.nonResourceAttributes: Invalid value: {"path":"/"}: disallowed on this kind of request',
  ],
];
for (const [name, kind, spec, metadata, expected] of refused)
  test(`refuses ${name}`, async () => {
    const { rules } = await loadKind(version, kind);
    const found = lines(rules.validate?.(questionOf(kind, spec, metadata), ruleContext()));
    assert.is(found.length > 1 ? `[${found.join(', ')}]` : found[0], expected);
  });

test('a local review asks in its namespace', async () => {
  const recorder = new Recorder({ decision: 'allow', reason: '' });
  const spec = { user: 'x', resourceAttributes: { ...resource, namespace: 'n' } };
  const answer = await ask('LocalSubjectAccessReview', spec, { namespace: 'n' }, recorder);
  assert.equal([answer.status, recorder.asked?.namespace], [{ allowed: true }, 'n']);
});

test('a rules review lists rules and echoes nothing', async () => {
  const answer = await ask('SelfSubjectRulesReview', { namespace: 'broken' });
  assert.is(
    JSON.stringify(answer),
    `{"kind":"SelfSubjectRulesReview","apiVersion":"${version}","metadata":{"creationTimestamp":null},"spec":{},"status":{` +
      '"resourceRules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}],' +
      '"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/healthz"]}],"incomplete":false,' +
      '"evaluationError":"role.rbac.authorization.k8s.io \\"none\\" not found"}}',
  );
});

test('a rules review needs a namespace', async () => {
  const error = await ask('SelfSubjectRulesReview', {}).catch((thrown: unknown) => thrown);
  assert.is((error as StatusError).message, 'no namespace on request');
});

test.run();
