import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { fileKinds, problemsOf } from '../../files/reader.ts';

const NAME = { group: 'apiserver.config.${groupDomain}', kind: 'AuthorizationConfiguration' };
const domains = { kubernetes: 'k8s.io', cluster: 'cluster.io' };
const kinds = { kubernetes: fileKinds('kubernetes'), cluster: fileKinds('cluster') };

const file = (authorizers: unknown, dialect: Dialect = 'kubernetes'): string =>
  stringify(
    { apiVersion: `apiserver.config.${domains[dialect]}/v1beta1`, kind: 'AuthorizationConfiguration', authorizers },
    { aliasDuplicateObjects: false },
  );
const webhook = (more: object = {}) => ({
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  matchConditionSubjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'InClusterConfig' },
  ...more,
});
const one = (more: object) => [{ type: 'Webhook', name: 'w', webhook: webhook(more) }];
const conditions = (count: number) => Array.from({ length: count }, (_, index) => ({ expression: `request.uid != "${index}"` }));
const AT = 'authorizers[0].webhook';

const rules = suite('configurations of authorization');
const cases: [name: string, authorizers: unknown, problems: string[]][] = [
  ['all kinds of authorizers', [...one({}), { type: 'Node', name: 'node' }, { type: 'RBAC', name: 'rbac.example.com' }], []],
  ['services more than once', [...one({}), { type: 'Webhook', name: 'other', webhook: webhook() }], []],
  ['none', [], ['authorizers: Required value: at least one authorization mode must be defined']],
  ['no type', [{ name: 'x' }], ['authorizers[0].type: Required value']],
  [
    'two of one type',
    [
      { type: 'Node', name: 'a' },
      { type: 'Node', name: 'b' },
    ],
    ['authorizers[1].type: Duplicate value: "Node"'],
  ],
  ['no name', [{ type: 'RBAC' }], ['authorizers[0].name: Required value']],
  [
    'one name twice',
    [
      { type: 'RBAC', name: 'a' },
      { type: 'Node', name: 'a' },
    ],
    ['authorizers[1].name: Duplicate value: "a"'],
  ],
  ['no webhook', [{ type: 'Webhook', name: 'a' }], [`${AT}: Required value: required when type=Webhook`]],
  [
    'a webhook of another type',
    [{ type: 'RBAC', name: 'a', webhook: webhook() }],
    [`${AT}: Invalid value: "non-null": may only be specified when type=Webhook`],
  ],
  ['no timeout', one({ timeout: undefined }), [`${AT}.timeout: Required value`]],
  ['a timeout of 30 s', one({ timeout: '30s' }), []],
  ['a longer timeout', one({ timeout: '30.1s' }), [`${AT}.timeout: Invalid value: "30.1s": must be > 0s and <= 30s`]],
  ['a negative timeout', one({ timeout: '-1s' }), [`${AT}.timeout: Invalid value: "-1s": must be > 0s and <= 30s`]],
  [
    'negative times to live',
    one({ authorizedTTL: '-1s', unauthorizedTTL: '-1m' }),
    [`${AT}.authorizedTTL: Invalid value: "-1s": must be > 0s`, `${AT}.unauthorizedTTL: Invalid value: "-1m0s": must be > 0s`],
  ],
  ['no version', one({ subjectAccessReviewVersion: '' }), [`${AT}.subjectAccessReviewVersion: Required value`]],
  [
    'another version',
    one({ subjectAccessReviewVersion: 'v2' }),
    [`${AT}.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"`],
  ],
  [
    'another version for conditions',
    one({ matchConditionSubjectAccessReviewVersion: 'v1beta1' }),
    [`${AT}.matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"`],
  ],
  [
    'conditions without a version',
    one({ matchConditionSubjectAccessReviewVersion: '', matchConditions: conditions(1) }),
    [`${AT}.matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified`],
  ],
  ['no failure policy', one({ failurePolicy: undefined }), [`${AT}.failurePolicy: Required value`]],
  [
    'another failure policy',
    one({ failurePolicy: 'Allow' }),
    [`${AT}.failurePolicy: Unsupported value: "Allow": supported values: "NoOpinion", "Deny"`],
  ],
  ['no connection', one({ connectionInfo: undefined }), [`${AT}.connectionInfo.type: Required value`]],
  ['a connection by file', one({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/etc/w.conf' } }), []],
  ['a connection by no file', one({ connectionInfo: { type: 'KubeConfigFile' } }), [`${AT}.connectionInfo.kubeConfigFile: Required value`]],
  [
    'a relative path',
    one({ connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'w.conf' } }),
    [`${AT}.connectionInfo.kubeConfigFile: Invalid value: "w.conf": must be an absolute path`],
  ],
  [
    'a file beside another connection',
    one({ connectionInfo: { type: 'InClusterConfig', kubeConfigFile: '/a' } }),
    [`${AT}.connectionInfo.kubeConfigFile: Invalid value: "/a": can only be set when type=KubeConfigFile`],
  ],
  ['64 conditions', one({ matchConditions: conditions(64) }), []],
  ['65 conditions', one({ matchConditions: conditions(65) }), [`${AT}.matchConditions: Too many: 65: must have at most 64 items`]],
  ['an empty condition', one({ matchConditions: [{ expression: ' ' }] }), [`${AT}.matchConditions[0].expression: Required value`]],
  [
    'a condition twice',
    one({ matchConditions: [...conditions(1), ...conditions(1)] }),
    [
      `${AT}.matchConditions[1].expression: Duplicate value: "request.uid != "0""`.replace(
        '"request.uid != "0""',
        JSON.stringify('request.uid != "0"'),
      ),
    ],
  ],
];
for (const [name, authorizers, problems] of cases)
  rules(name, async () => assert.equal(await problemsOf(kinds.kubernetes, file(authorizers), NAME), problems));

rules('names are labels or subdomains', async () => {
  const [problem] = await problemsOf(kinds.kubernetes, file([{ type: 'RBAC', name: 'Role_Based' }]), NAME);
  assert.match(
    problem as string,
    /^authorizers\[0\]\.name: Invalid value: "Role_Based": authorizer name is invalid: a lowercase RFC 1123 subdomain/,
  );
});
rules('answers are remembered for five minutes and for half a minute unless the file says otherwise', async () => {
  for (const [given, expected] of [
    [{}, ['5m0s', '30s']],
    [{ authorizedTTL: '0s', unauthorizedTTL: '0s' }, ['5m0s', '30s']],
    [{ authorizedTTL: '90s', unauthorizedTTL: '1ms' }, ['1m30s', '1ms']],
  ] as const) {
    const { object } = await kinds.kubernetes.parse(file(one(given)), 'file', NAME);
    const { authorizedTTL, unauthorizedTTL } = object.authorizers[0].webhook;
    assert.equal([authorizedTTL, unauthorizedTTL], expected);
  }
});
rules('other types and conditions without a version are the release alone', async () => {
  const types = [
    { type: 'ABAC', name: 'a' },
    { type: 'AlwaysAllow', name: 'b' },
  ];
  const versionless = one({ matchConditionSubjectAccessReviewVersion: '' });
  assert.equal(await problemsOf(kinds.kubernetes, file(types), NAME), []);
  assert.equal(await problemsOf(kinds.kubernetes, file(versionless), NAME), []);
  assert.is((await problemsOf(kinds.cluster, file(types, 'cluster'), NAME)).length, 2);
  assert.is((await problemsOf(kinds.cluster, file(versionless, 'cluster'), NAME)).length, 1);
});
rules("a connection by file has the specification's name too, in its dialect", async () => {
  const authorizers = one({ connectionInfo: { type: 'KubeConfig', kubeConfigFile: '/a' } });
  const { object } = await kinds.cluster.parse(file(authorizers, 'cluster'), 'file', NAME);
  assert.is(object.authorizers[0].webhook.connectionInfo.type, 'KubeConfigFile');
  assert.is((await problemsOf(kinds.kubernetes, file(authorizers), NAME)).length, 1);
});
rules.run();
