/** Which webhooks requests are for, and what it costs to find that none is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { ConfiguredWebhooks, type Webhook } from '../../../runtime/admission/webhooks/configured-webhooks.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { statedResource } from '../stated-resource.ts';

const test = suite('configured webhooks');

const RULE = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] };

const configuration = (name: string, ...webhooks: object[]): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: webhooks.map((webhook, index) => ({ name: `${name}-${index}`, rules: [RULE], matchPolicy: 'Equivalent', ...webhook })),
});

/** Configurations that count how often they are read. */
class Configurations {
  changes = 0;
  reads = 0;
  objects: readonly ApiObject[] = [];

  set(...objects: ApiObject[]): this {
    this.objects = objects;
    this.changes++;
    return this;
  }

  in(): readonly ApiObject[] {
    this.reads++;
    return this.objects;
  }
}

interface Served {
  readonly group?: string;
  readonly version?: string;
  readonly name?: string;
  readonly scope?: string;
}

function resource({
  group = 'apps',
  version = 'v1',
  name = 'deployments',
  scope = 'Namespaced',
}: Served = {}): AdmissionAttributes['resource'] {
  const made = {
    groupVersion: { group, version },
    data: { name, scope, kind: 'Deployment' },
    subresources: new Map([['scale', { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1' }]]),
    versions: { served: [] as unknown[] },
  };
  made.versions.served.push(made);
  return made as never;
}

const attributes = (of: AdmissionAttributes['resource'], others: Partial<AdmissionAttributes> = {}): AdmissionAttributes =>
  ({ resource: of, operation: 'create', subresource: '', kind: { group: 'apps', version: 'v1', kind: 'Deployment' }, ...others }) as never;

const namesOf = (webhooks: ConfiguredWebhooks, asked: AdmissionAttributes) => webhooks.candidates(asked).map(({ webhook }) => webhook.name);

test('come in the order of their configurations by name, then as these list them', () => {
  const configurations = new Configurations().set(configuration('b', {}, {}), configuration('a', {}));
  const webhooks = new ConfiguredWebhooks(configurations, () => {});
  assert.equal(namesOf(webhooks, attributes(resource())), ['a-0', 'b-0', 'b-1']);
});

test('are looked through once for all requests of a kind, and again when a configuration has changed', () => {
  let looked = 0;
  const counting = {
    get rules() {
      looked++;
      return [{ ...RULE, resources: ['secrets'] }];
    },
  };
  const all = Array.from({ length: 1_000 }, (_, index) => {
    const made = configuration(`c${index}`, {});
    Object.defineProperty(made.webhooks[0], 'rules', Object.getOwnPropertyDescriptor(counting, 'rules') as PropertyDescriptor);
    return made;
  });
  const configurations = new Configurations().set(...all);
  const webhooks = new ConfiguredWebhooks(configurations, () => {});
  const of = resource();
  for (let request = 0; request < 100; request++) assert.equal(namesOf(webhooks, attributes(of)), []);
  assert.is(looked, 1_000);
  assert.is(configurations.reads, 1);
  configurations.set(...all, configuration('new', {}));
  assert.equal(namesOf(webhooks, attributes(of)), ['new-0']);
  assert.is(configurations.reads, 2);
});

test('tell which of them there are, each time that these change', () => {
  const told: string[][] = [];
  const configurations = new Configurations().set(configuration('a', {}));
  const webhooks = new ConfiguredWebhooks(configurations, (all: readonly Webhook[]) => told.push(all.map(({ id }) => id)));
  namesOf(webhooks, attributes(resource()));
  namesOf(webhooks, attributes(resource()));
  configurations.set();
  namesOf(webhooks, attributes(resource()));
  assert.equal(told, [['a/a-0/0'], []]);
});

interface Row {
  readonly name: string;
  readonly rule?: object;
  readonly policy?: string;
  readonly asked?: Partial<AdmissionAttributes>;
  readonly served?: Served;
  readonly matches: boolean;
}
const rows: Row[] = [
  { name: 'the resource', matches: true },
  { name: 'another operation', asked: { operation: 'update' }, matches: false },
  { name: 'any operation', rule: { operations: ['*'] }, asked: { operation: 'connect' }, matches: true },
  { name: 'a subresource that is not named', asked: { subresource: 'scale' }, matches: false },
  { name: 'a subresource', rule: { resources: ['deployments/scale'] }, asked: { subresource: 'scale' }, matches: true },
  { name: 'any subresource', rule: { resources: ['deployments/*'] }, asked: { subresource: 'scale' }, matches: true },
  { name: 'the resource by any subresource', rule: { resources: ['deployments/*'] }, matches: true },
  { name: 'a subresource of any', rule: { resources: ['*/scale'] }, asked: { subresource: 'scale' }, matches: true },
  { name: 'all without subresources', rule: { resources: ['*'] }, asked: { subresource: 'scale' }, matches: false },
  { name: 'no group', rule: { apiGroups: [''] }, matches: false },
  { name: 'any version', rule: { apiVersions: ['*'] }, matches: true },
  { name: 'what is outside of namespaces', rule: { scope: 'Cluster' }, matches: false },
  { name: 'what is outside of namespaces, so', rule: { scope: 'Cluster' }, served: { scope: 'Cluster' }, matches: true },
  { name: 'what is in namespaces, so not', rule: { scope: 'Namespaced' }, served: { scope: 'Cluster' }, matches: false },
  { name: 'another version', rule: { apiVersions: ['v1beta1'] }, matches: false },
];
for (const { name, rule, asked, served, matches } of rows)
  test(`rules: ${name}`, () => {
    const configurations = new Configurations().set(configuration('a', { rules: [{ ...RULE, ...rule }] }));
    const webhooks = new ConfiguredWebhooks(configurations, () => {});
    assert.is(namesOf(webhooks, attributes(resource(served), asked)).length, matches ? 1 : 0);
  });

test('see an equivalent version by the first rule that names one, and none where they want the very one', () => {
  const [asked, older, other] = [resource(), resource({ version: 'v1beta1' }), resource({ group: 'extensions', version: 'v1beta1' })];
  const served = [asked, older, other];
  const equivalent = { ...asked, versions: { ...asked.versions, served } } as AdmissionAttributes['resource'];
  const rules = [
    { ...RULE, apiGroups: ['extensions'], apiVersions: ['*'] },
    { ...RULE, apiVersions: ['v1beta1'] },
  ];
  const configurations = new Configurations().set(configuration('a', { rules }, { rules, matchPolicy: 'Exact' }));
  const found = new ConfiguredWebhooks(configurations, () => {}).candidates(attributes(equivalent));
  assert.equal(
    found.map(({ webhook, resource: { groupVersion }, kind }) => [webhook.name, groupVersion.group, kind.group, kind.version]),
    [['a-0', 'extensions', 'extensions', 'v1beta1']],
  );
});

const unseen: readonly [group: string, resource: string, found: readonly string[]][] = [
  ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', []],
  ['admissionregistration.k8s.io', 'mutatingwebhookconfigurations', []],
  ['admissionregistration.k8s.io', 'validatingadmissionpolicies', []],
  ['admissionregistration.k8s.io', 'validatingadmissionpolicybindings', []],
  ['admissionregistration.k8s.io', 'mutatingadmissionpolicies', []],
  ['admissionregistration.k8s.io', 'mutatingadmissionpolicybindings', []],
  ['authentication.k8s.io', 'tokenreviews', ['a-0']],
  ['example.com', 'validatingwebhookconfigurations', ['a-0']],
];
for (const [group, name, found] of unseen)
  test(`are ${found.length === 0 ? 'not asked' : 'asked'} about ${name} of ${group}`, () => {
    const any = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
    const webhooks = new ConfiguredWebhooks(new Configurations().set(configuration('a', { rules: [any] })), () => {});
    const made = resource({ group, name, scope: 'Cluster' });
    const of = { ...made, data: statedResource(group, name) ?? made.data } as AdmissionAttributes['resource'];
    assert.equal(namesOf(webhooks, attributes(of)), found);
  });

test.run();
