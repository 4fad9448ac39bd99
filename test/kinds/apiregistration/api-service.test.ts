import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('API services');

const { rules } = await loadKind('apiregistration.k8s.io/v1', 'APIService');
const service = { namespace: 'n', name: 's', port: 443 };
const spec = { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service };
const of = (members: object, name = 'v1.a.example.com') =>
  object('apiregistration.k8s.io/v1', 'APIService', { spec: { ...spec, ...members } }, { name });

/** what is wrong, members of the specification, name, errors */
test('a version is quoted as Go quotes it', () =>
  assert.is(
    lines(rules.validate?.(of({ version: '\u0001' }), ruleContext()))[0],
    'metadata.name: Invalid value: "v1.a.example.com": must be `spec.version+"."+spec.group`: "\\x01.a.example.com"',
  ));

const rows: [string, object, string, string[]][] = [
  ['nothing', {}, 'v1.a.example.com', []],
  ['another name', {}, 'x', ['metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.a.example.com"']],
  [
    'no group',
    { group: undefined, version: 'v2' },
    'v2.',
    ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
  ],
  [
    'ranks',
    { groupPriorityMinimum: 0, versionPriority: 1001 },
    'v1.a.example.com',
    [
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
    ],
  ],
  [
    'trust without a service',
    { service: undefined, caBundle: 'AAAA', insecureSkipTLSVerify: true },
    'v1.a.example.com',
    [
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  ],
  [
    'trust twice',
    { caBundle: 'AAAA', insecureSkipTLSVerify: true },
    'v1.a.example.com',
    ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
  ],
];
for (const [name, members, named, expected] of rows)
  test(name, () => {
    assert.equal(lines(rules.validate?.(of(members, named), ruleContext())), expected);
  });

test('what the server answers itself is available at once', async () => {
  const local = of({ service: undefined });
  rules.prepareForCreate?.(local, ruleContext());
  assert.is(local.status.conditions[0].reason, 'Local');
  assert.equal((await rowOf(local, 0)).slice(1, 3), ['Local', 'True']);
});

test('cells name the service and why it is not available', async () => {
  const remote = { ...of({}), status: { conditions: [{ type: 'Available', status: 'False', reason: 'ServiceNotFound' }] } };
  assert.equal((await rowOf(remote, 0)).slice(1, 3), ['n/s', 'False (ServiceNotFound)']);
  assert.is((await rowOf(of({}), 0))[2], 'Unknown');
});

test('its status leaves the metadata as they were', () => {
  const old = of({});
  const changed = { ...of({}), metadata: { ...old.metadata, labels: { a: 'b' } } };
  rules.prepareForStatusUpdate?.(changed, old, ruleContext());
  assert.equal(changed.metadata, old.metadata);
});

test.run();
