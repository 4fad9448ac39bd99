import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { podSecurity } from '../../../runtime/admission/plugins/pod-security.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { type Asked, attributesOf, partsOf } from '../asking.ts';

const test = suite('pod security');
const P = 'pod-security.kubernetes.io/';
const labelled = (name: string, labels: object) => ({
  metadata: { name, labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`${P}${key}`, value])) },
});

const BAD = { spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] } };
const NEW_IMAGE = { spec: { containers: [{ name: 'c', image: 'j', securityContext: { privileged: true } }] } };
const GOOD = { spec: { containers: [{ name: 'c', image: 'i' }] } };
const stored = {
  namespaces: [
    { metadata: { name: 'free' } },
    labelled('strict', { enforce: 'baseline' }),
    labelled('told', { warn: 'baseline', audit: 'baseline', 'audit-version': 'v1.20' }),
    labelled('wrong', { enforce: 'strict', warn: 'x' }),
    labelled('all', { enforce: 'baseline', warn: 'baseline', audit: 'baseline' }),
  ],
  'pods/a': [{ metadata: { name: 'old' }, ...BAD }],
  'pods/safe': [{ metadata: { name: 'old' }, ...BAD }],
};
const configured = {
  defaults: { enforce: 'privileged' },
  exemptions: { usernames: ['root'], namespaces: ['safe'], runtimeClasses: ['boxed'] },
};

interface Outcome {
  readonly refusal?: string;
  readonly warnings: readonly string[];
  readonly notes: Readonly<Record<string, string>>;
}

async function outcome(asked: Asked, { configuration, user = 'jane' }: { configuration?: object; user?: string } = {}): Promise<Outcome> {
  const plugin = podSecurity(partsOf({ configuration: () => configuration }, stored));
  const warnings: string[] = [];
  const notes: Record<string, string> = {};
  const request = {
    ...OWN_WORK,
    warn: (text: string) => warnings.push(text),
    annotate: (key: string, value: string) => (notes[key.replace(P, '')] = value),
  };
  const attributes = { ...attributesOf(asked), request, user: { name: user, uid: '', groups: [], extra: {} } };
  try {
    await plugin.validate?.(attributes);
    return { warnings, notes };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { refusal: error.message, warnings, notes };
  }
}

const DETAIL = 'privileged (container "c" must not set securityContext.privileged=true)';
const REFUSED = `pods "x" is forbidden: violates PodSecurity "baseline:latest": ${DETAIL}`;
const WOULD = (version = 'latest') => `would violate PodSecurity "baseline:${version}": ${DETAIL}`;
const quiet: Outcome = { warnings: [], notes: {} };
const allowed = (policy: string): Outcome => ({ warnings: [], notes: { 'enforce-policy': policy } });
const strictly: Outcome = { refusal: REFUSED, ...allowed('baseline:latest') };
const template = { template: BAD };

const ROWS: readonly (readonly [name: string, asked: Asked, expected: Outcome])[] = [
  ['a namespace without labels', { namespace: 'free', object: BAD }, allowed('privileged:latest')],
  ['a pod that breaks nothing', { namespace: 'strict', object: GOOD }, allowed('baseline:latest')],
  ['a pod that does', { namespace: 'strict', object: BAD }, strictly],
  [
    'one that is told, and recorded by older rules',
    { namespace: 'told', object: BAD },
    { warnings: [WOULD()], notes: { 'enforce-policy': 'privileged:latest', 'audit-violations': WOULD('v1.20') } },
  ],
  [
    'one that is refused is recorded, and not warned of',
    { namespace: 'all', object: BAD },
    { refusal: REFUSED, warnings: [], notes: { 'enforce-policy': 'baseline:latest', 'audit-violations': WOULD() } },
  ],
  ['a change of nothing that matters', { namespace: 'strict', operation: 'update', object: BAD, old: BAD }, quiet],
  ['another image', { namespace: 'strict', operation: 'update', object: NEW_IMAGE, old: BAD }, strictly],
  ['a deletion', { namespace: 'strict', operation: 'delete', old: BAD }, quiet],
  ['a status', { namespace: 'strict', operation: 'update', subresource: 'status', object: NEW_IMAGE, old: BAD }, quiet],
  ['a binding', { namespace: 'strict', subresource: 'binding', object: {} }, quiet],
  [
    'a container for looking into the pod',
    {
      namespace: 'strict',
      operation: 'update',
      subresource: 'ephemeralcontainers',
      object: { spec: { ...GOOD.spec, ephemeralContainers: BAD.spec.containers } },
      old: GOOD,
    },
    strictly,
  ],
  [
    'such containers in the kind of their own that they once had',
    {
      namespace: 'strict',
      operation: 'update',
      subresource: 'ephemeralcontainers',
      kind: 'EphemeralContainers',
      object: { ephemeralContainers: BAD.spec.containers },
      old: { ephemeralContainers: [] },
    },
    quiet,
  ],
  [
    'a deployment where pods are refused',
    { namespace: 'strict', group: 'apps', resource: 'deployments', object: { spec: template } },
    { warnings: [WOULD()], notes: {} },
  ],
  ...(
    [
      ['', 'podtemplates', template],
      ['', 'replicationcontrollers', { spec: template }],
      ['apps', 'daemonsets', { spec: template }],
      ['apps', 'deployments', { spec: template }],
      ['apps', 'replicasets', { spec: template }],
      ['apps', 'statefulsets', { spec: template }],
      ['batch', 'jobs', { spec: template }],
      ['batch', 'cronjobs', { spec: { jobTemplate: { spec: template } } }],
    ] as const
  ).map(
    ([group, resource, object]) =>
      [
        `${resource} are told`,
        { namespace: 'told', group, resource, object },
        { warnings: [WOULD()], notes: { 'audit-violations': WOULD('v1.20') } },
      ] as const,
  ),
  ['jobs of somebody else', { namespace: 'told', group: 'example.com', resource: 'jobs', object: { spec: template } }, quiet],
  ['a subresource of a deployment', { namespace: 'told', group: 'apps', resource: 'deployments', subresource: 'scale', object: {} }, quiet],
  ['a controller without a template', { namespace: 'told', resource: 'replicationcontrollers', object: { spec: {} } }, quiet],
  [
    'a namespace whose labels are wrong',
    { namespace: 'wrong', object: BAD },
    {
      refusal: `pods "x" is forbidden: violates PodSecurity "restricted:latest": ${DETAIL}, allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`,
      warnings: [],
      notes: {
        'enforce-policy': 'restricted:latest',
        error: `Failed to parse policy: [metadata.labels[${P}enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[${P}warn]: Invalid value: "x": must be one of privileged, baseline, restricted]`,
      },
    },
  ],
  [
    'a pod of a namespace that is gone',
    { namespace: 'gone', object: GOOD },
    {
      refusal: 'Internal error occurred: failed to lookup namespace "gone"',
      warnings: [],
      notes: { error: 'Internal error occurred: failed to lookup namespace "gone": namespaces "gone" not found' },
    },
  ],
  [
    'a job of a namespace that is gone',
    { namespace: 'gone', group: 'batch', resource: 'jobs', object: { spec: template } },
    { warnings: [], notes: { error: 'failed to lookup namespace "gone": namespaces "gone" not found' } },
  ],
];
for (const [name, asked, expected] of ROWS) test(name, async () => assert.equal(await outcome(asked), expected));

const namespace = (labels: object, old?: object): Asked => ({
  resource: 'namespaces',
  namespace: '',
  name: 'a',
  operation: old === undefined ? 'create' : 'update',
  object: labelled('a', labels),
  ...(old && { old: labelled('a', old) }),
});
const invalid = (level: string) =>
  `Namespace "a" is invalid: metadata.labels[${P}enforce]: Invalid value: "${level}": must be one of privileged, baseline, restricted`;
const HEAD = (level: string) => `existing pods in namespace "a" violate the new PodSecurity enforce level "${level}"`;
const NAMESPACES: readonly (readonly [name: string, asked: Asked, expected: Omit<Outcome, 'notes'>])[] = [
  ['a new namespace', namespace({ enforce: 'restricted' }), { warnings: [] }],
  ['a new namespace with a wrong label', namespace({ enforce: 'x' }), { refusal: invalid('x'), warnings: [] }],
  ['a label that becomes wrong', namespace({ enforce: 'x' }, {}), { refusal: invalid('x'), warnings: [] }],
  ['a label that is wrong in another way', namespace({ enforce: 'y' }, { enforce: 'x' }), { refusal: invalid('y'), warnings: [] }],
  ['a label that was wrong already', namespace({ enforce: 'x', warn: 'baseline' }, { enforce: 'x' }), { warnings: [] }],
  ['more is enforced', namespace({ enforce: 'baseline' }, {}), { warnings: [HEAD('baseline:latest'), 'old: privileged'] }],
  [
    'another version is enforced',
    namespace({ enforce: 'baseline', 'enforce-version': 'v1.20' }, { enforce: 'restricted' }),
    { warnings: [HEAD('baseline:v1.20'), 'old: privileged'] },
  ],
  ['less is enforced', namespace({ enforce: 'baseline' }, { enforce: 'restricted' }), { warnings: [] }],
  ['nothing is enforced', namespace({ 'enforce-version': 'v1.20' }, { enforce: 'restricted' }), { warnings: [] }],
  ['more is warned of', namespace({ warn: 'restricted' }, {}), { warnings: [] }],
  ['its status', { ...namespace({ enforce: 'x' }, {}), subresource: 'status' }, { warnings: [] }],
];
for (const [name, asked, expected] of NAMESPACES) test(name, async () => assert.equal(await outcome(asked), { ...expected, notes: {} }));

const exempt = (reason: string): Outcome => ({ warnings: [], notes: { exempt: reason } });
const ignored = (policy: string): Outcome => ({
  warnings: [`namespace "safe" is exempt from Pod Security, and the policy (${policy}) will be ignored`],
  notes: {},
});
const withConfiguration: readonly (readonly [name: string, asked: Asked, user: string, configuration: object, expected: Outcome])[] = [
  ['a user who is exempt', { namespace: 'strict', object: BAD }, 'root', configured, exempt('user')],
  ['a namespace that is exempt', { namespace: 'safe', object: BAD }, 'jane', configured, exempt('namespace')],
  [
    'a runtime class that is exempt',
    { namespace: 'strict', object: { spec: { ...BAD.spec, runtimeClassName: 'boxed' } } },
    'jane',
    configured,
    exempt('runtimeClass'),
  ],
  [
    'a job of a user who is exempt',
    { namespace: 'told', group: 'batch', resource: 'jobs', object: { spec: template } },
    'root',
    configured,
    exempt('user'),
  ],
  ['others', { namespace: 'strict', object: BAD }, 'jane', configured, strictly],
  [
    'pods of an exempt namespace when it enforces more',
    { ...namespace({ enforce: 'baseline', warn: 'restricted', audit: 'privileged' }, {}), name: 'safe' },
    'jane',
    configured,
    ignored('enforce=baseline:latest, warn=restricted:latest'),
  ],
  [
    'a new namespace that is exempt',
    { ...namespace({ 'enforce-version': 'v1.20' }), name: 'safe' },
    'jane',
    { ...configured, defaults: { enforce: 'baseline', warn: 'restricted' } },
    ignored('enforce=baseline:v1.20'),
  ],
  ['a new namespace that is exempt, without labels', { ...namespace({}), name: 'safe' }, 'jane', configured, { warnings: [], notes: {} }],
  [
    'what holds where there are no labels',
    { namespace: 'free', object: BAD },
    'jane',
    { defaults: { enforce: 'baseline', 'enforce-version': 'v1.30' }, exemptions: {} },
    { ...allowed('baseline:v1.30'), refusal: REFUSED.replace('latest', 'v1.30') },
  ],
];
for (const [name, asked, user, configuration, expected] of withConfiguration)
  test(`${name}, by configuration`, async () => assert.equal(await outcome(asked, { configuration, user }), expected));

test('what is stored anew is read anew', async () => {
  const namespaces = [labelled('n', {})];
  const plugin = podSecurity(partsOf({}, { namespaces }));
  const admit = () => plugin.validate?.(attributesOf({ namespace: 'n', object: BAD }));
  admit();
  namespaces[0] = labelled('n', { enforce: 'baseline' });
  assert.throws(admit, /violates PodSecurity "baseline:latest"/);
});

test.run();
