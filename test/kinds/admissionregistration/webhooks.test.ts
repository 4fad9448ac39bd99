import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FieldError } from '../../../runtime/contract/field-error.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind } from '../kind.ts';

const test = suite('webhook configurations');
const { rules, data } = await loadKind('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration');
/** What an update is held to besides its metadata. */
const updateErrors = (configuration: ApiObject, old: ApiObject): FieldError[] => {
  const out: FieldError[] = [];
  data.validators?.object?.(configuration, old, ruleContext(), undefined, out);
  return out;
};

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const webhook = {
  name: 'a.example.com',
  clientConfig: { url: 'https://h/p' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [rule],
};
const configuration = (...webhooks: object[]) => object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', { webhooks });
const service = (members: object) => ({ clientConfig: { service: { namespace: 'n', name: 's', port: 443, ...members } } });
const ruled = (members: object) => ({ rules: [{ ...rule, ...members }] });

/** what is wrong, members of the webhook, errors below `webhooks[0].` */
const rows: [string, object, string[]][] = [
  ['nothing', {}, []],
  ['no name', { name: '' }, ['name: Required value']],
  ['a short name', { name: 'a.b' }, ['name: Invalid value: "a.b": should be a domain with at least three segments separated by dots']],
  ['no operations', ruled({ operations: null }), ['rules[0].operations: Required value']],
  [
    'operations beside all',
    ruled({ operations: ['*', 'CREATE'] }),
    [
      'rules[0].operations: Invalid value: []admissionregistration.OperationType{"*", "CREATE"}: if \'*\' is present, must not specify other operations',
    ],
  ],
  [
    'an unknown operation',
    ruled({ operations: ['PATCH'] }),
    ['rules[0].operations[0]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"'],
  ],
  ['an empty version', ruled({ apiVersions: [''] }), ['rules[0].apiVersions[0]: Required value']],
  [
    'a resource said twice',
    ruled({ resources: ['pods/*', 'pods/log'] }),
    ['rules[0].resources[1]: Invalid value: "pods/log": if \'pods/*\' is present, must not specify pods/log'],
  ],
  [
    'a resource beside all',
    ruled({ resources: ['*', 'pods'] }),
    [
      'rules[0].resources: Invalid value: []string{"*", "pods"}: if \'*\' is present, must not specify other resources without subresources',
    ],
  ],
  ['side effects', { sideEffects: 'Some' }, ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"']],
  ['no word of side effects', { sideEffects: null }, ['sideEffects: Required value: must specify one of None, NoneOnDryRun']],
  ['a long timeout', { timeoutSeconds: 31 }, ['timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds']],
  ['neither URL nor service', { clientConfig: {} }, ['clientConfig: Required value: exactly one of url or service is required']],
  [
    'a plain URL with all parts',
    { clientConfig: { url: 'http://u:p@h/p?q=1#f' } },
    [
      'clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
      'clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL',
    ],
  ],
  ['no service name', service({ name: '' }), ['clientConfig.service.namespace: Required value: service namespace is required']],
  ['an empty segment', service({ path: '/a//b' }), ['clientConfig.service.path: Invalid value: "/a//b": segment[1] may not be empty']],
  ['no review versions', { admissionReviewVersions: null }, ['admissionReviewVersions: Required value: must specify one of v1, v1beta1']],
  [
    'only unknown review versions',
    { admissionReviewVersions: ['v3', 'v3'] },
    [
      'admissionReviewVersions[1]: Invalid value: "v3": duplicate version',
      'admissionReviewVersions: Invalid value: []string{"v3", "v3"}: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'conditions',
    {
      matchConditions: [
        { name: 'a', expression: 'true' },
        { name: 'a', expression: ' ' },
        { name: '', expression: 'true' },
      ],
    },
    [
      'matchConditions[1].expression: Required value',
      'matchConditions[1].name: Duplicate value: "a"',
      'matchConditions[2].name: Required value',
    ],
  ],
];
for (const [name, members, expected] of rows)
  test(name, () => {
    assert.equal(
      lines(rules.validate?.(configuration({ ...webhook, ...members }), ruleContext())),
      expected.map((line) => `webhooks[0].${line}`),
    );
  });

test('names are unique', () => {
  assert.equal(lines(rules.validate?.(configuration(webhook, webhook), ruleContext())), [
    'webhooks[1].name: Duplicate value: "a.example.com"',
  ]);
});

test('what was stored already is no error of an update', () => {
  const lax = { ...webhook, sideEffects: 'Some', admissionReviewVersions: ['v3'] };
  assert.equal(lines(updateErrors(configuration(lax, lax), configuration(lax, lax))), []);
  assert.is(updateErrors(configuration(lax, lax), configuration(webhook)).length, 5);
});

test('conditions select what is authorized where the gate is on, or where they stood before', () => {
  const expression = "authorizer.group('').resource('pods').labelSelector('a=b').check('list').allowed()";
  const given = configuration({ ...webhook, matchConditions: [{ name: 'a', expression }] });
  assert.equal(lines(rules.validate?.(given, ruleContext('AuthorizeWithSelectors'))), []);
  assert.match(lines(rules.validate?.(given, ruleContext())).join(), /^webhooks\[0\]\.matchConditions\[0\]\.expression: .*labelSelector/);
  assert.equal(lines(updateErrors(given, given)), []);
});

test.run();
