import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuthorizationFlags, checkAuthorizationFlags } from '../../runtime/authorization/authorization-flags.ts';

const DEFAULTS: AuthorizationFlags = {
  'authorization-mode': ['Node', 'RBAC'],
  'authorization-config': '',
  'authorization-policy-file': '',
  'authorization-webhook-config-file': '',
  'authorization-webhook-version': 'v1beta1',
  'authorization-webhook-cache-authorized-ttl': 1,
  'authorization-webhook-cache-unauthorized-ttl': 1,
};
const rows: [what: string, flags: Partial<AuthorizationFlags>, problem?: RegExp][] = [
  ['nothing', {}],
  [
    'every mode',
    {
      'authorization-mode': ['ABAC', 'Webhook', 'RBAC', 'Node', 'AlwaysDeny'],
      'authorization-policy-file': 'p',
      'authorization-webhook-config-file': 'w',
    },
  ],
  ['no mode', { 'authorization-mode': [] }, /^at least one authorization-mode must be passed$/],
  ['an unknown mode', { 'authorization-mode': ['rbac'] }, /"rbac" is not a valid mode/],
  ['a mode twice', { 'authorization-mode': ['RBAC', 'Node', 'RBAC'] }, /"RBAC" has mode specified more than once/],
  ['ABAC without a file', { 'authorization-mode': ['ABAC'] }, /mode ABAC's authorization policy file not passed/],
  ['Webhook without a file', { 'authorization-mode': ['Webhook'] }, /mode Webhook's authorization config file not passed/],
  ['a policy file without ABAC', { 'authorization-policy-file': 'p' }, /cannot specify --authorization-policy-file without mode ABAC/],
  [
    'a webhook file without Webhook',
    { 'authorization-webhook-config-file': 'w' },
    /cannot specify --authorization-webhook-config-file without mode Webhook/,
  ],
  ['another version', { 'authorization-webhook-version': 'v2' }, /"v2" is neither v1 nor v1beta1/],
  ['a file alone', { 'authorization-config': 'f' }],
  ['a file and modes', { 'authorization-config': 'f', 'authorization-mode': ['RBAC'] }, /can not be specified when --authorization-mode/],
  [
    'a file and the defaults of modes, given',
    { 'authorization-config': 'f', 'authorization-mode': ['Node', 'RBAC'] },
    /can not be specified/,
  ],
  ['a file and a webhook', { 'authorization-config': 'f', 'authorization-webhook-version': 'v1' }, /can not be specified/],
];
const flags = suite('flags of authorization');
for (const [what, given, problem] of rows)
  flags(`${what}: ${problem === undefined ? 'accepted' : 'refused'}`, () => {
    const check = () => checkAuthorizationFlags({ ...DEFAULTS, ...given }, new Set(Object.keys(given)));
    if (problem === undefined) return assert.not.throws(check);
    assert.throws(check, problem);
  });
flags.run();
