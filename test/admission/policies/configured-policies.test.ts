/** Which policies a request may be for, kept for as long as nothing changes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfiguredPolicies, type PolicySpec } from '../../../runtime/admission/policies/configured-policies.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { attributesOf } from '../asking.ts';
import { statedResource } from '../stated-resource.ts';

const test = suite('configured policies');

const rule = (resource: string) => ({ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: [resource] });
const object = (name: string, generation: number, spec: object) =>
  ({ metadata: { name, uid: name, generation }, spec }) as unknown as ApiObject;
const policy = (name: string, resource: string, generation = 1) =>
  object(name, generation, { matchConstraints: { resourceRules: [rule(resource)] } });
const binding = (name: string, policyName: string, others: object = {}) => object(name, 1, { policyName, ...others });

class Store {
  readonly policies = { changes: 0, all: new Map<string, ApiObject>(), in: () => [...this.policies.all.values()] };
  readonly bindings = { changes: 0, all: new Map<string, ApiObject>(), in: () => [...this.bindings.all.values()] };
  put(kind: 'policies' | 'bindings', ...objects: readonly ApiObject[]): this {
    for (const each of objects) this[kind].all.set(each.metadata.name as string, each);
    this[kind].changes++;
    return this;
  }
  remove(kind: 'policies' | 'bindings', name: string): void {
    this[kind].all.delete(name);
    this[kind].changes++;
  }
}

const RESOURCES = new Map<string, object>();
/** The same resource each time, as the registry has it. */
function asking(resource: string, others: object = {}) {
  const attributes = attributesOf({ resource, ...others });
  const made = RESOURCES.get(resource) ?? { ...attributes.resource, versions: { served: [] } };
  RESOURCES.set(resource, made);
  return { ...attributes, resource: made } as never;
}
const open = (store: Store) => new ConfiguredPolicies<PolicySpec, object>(store);
const names = (found: readonly { policy: { name: string }; bindings: readonly { binding: { name: string } }[] }[]) =>
  found.map(({ policy: { name }, bindings }) => `${name}: ${bindings.map((each) => each.binding.name).join()}`);

test('those with bindings are found, both in the order of their names', () => {
  const store = new Store()
    .put('policies', policy('q', 'pods'), policy('p', '*'), policy('unbound', 'pods'), policy('other', 'secrets'))
    .put('bindings', binding('z', 'p'), binding('a', 'p'), binding('b', 'q'), binding('c', 'other'), binding('d', 'none'));
  assert.equal(names(open(store).candidates(asking('pods'))), ['p: a,z', 'q: b']);
});

test('bindings that are for others are left out', () => {
  const store = new Store()
    .put('policies', policy('p', 'pods'))
    .put('bindings', binding('a', 'p', { matchResources: { resourceRules: [rule('secrets')] } }), binding('b', 'p'));
  assert.equal(names(open(store).candidates(asking('pods'))), ['p: b']);
});

test('the same list answers until something changes that counts', () => {
  const store = new Store().put('policies', policy('p', 'pods')).put('bindings', binding('b', 'p'));
  const configured = open(store);
  const first = configured.candidates(asking('pods'));
  assert.is(configured.candidates(asking('pods')), first);
  store.put('policies', policy('p', 'pods'));
  assert.is(configured.candidates(asking('pods')), first, 'its status was written');
  store.put('policies', policy('p', 'pods', 2));
  const second = configured.candidates(asking('pods'));
  assert.is.not(second, first);
  assert.is.not(second[0]?.policy, first[0]?.policy);
  store.put('bindings', binding('c', 'p'));
  const third = configured.candidates(asking('pods'));
  assert.equal(names(third), ['p: b,c']);
  assert.is(third[0]?.policy, second[0]?.policy, 'what was made of it is kept');
  store.remove('policies', 'p');
  assert.equal(configured.candidates(asking('pods')), []);
  store.put('policies', policy('p', 'secrets', 2));
  assert.equal(configured.candidates(asking('pods')), []);
});

const exempt: readonly [group: string, resource: string, found: number][] = [
  ['admissionregistration.k8s.io', 'validatingadmissionpolicies', 0],
  ['admissionregistration.k8s.io', 'validatingadmissionpolicybindings', 0],
  ['admissionregistration.k8s.io', 'mutatingadmissionpolicies', 0],
  ['admissionregistration.k8s.io', 'mutatingadmissionpolicybindings', 0],
  ['admissionregistration.k8s.io', 'validatingwebhookconfigurations', 1],
  ['authentication.k8s.io', 'tokenreviews', 0],
  ['authorization.k8s.io', 'subjectaccessreviews', 0],
  ['example.com', 'tokenreviews', 1],
  ['certificates.k8s.io', 'certificatesigningrequests', 1],
];
for (const [group, resource, found] of exempt)
  test(`${resource} of ${group} are for ${found === 0 ? 'none' : 'those that name them'}`, () => {
    const store = new Store().put('policies', policy('p', '*')).put('bindings', binding('b', 'p'));
    const attributes = { ...attributesOf({ group, resource }) } as { resource: object };
    const data = statedResource(group, resource) ?? { name: resource };
    attributes.resource = { ...attributes.resource, data, versions: { served: [] } };
    assert.is(open(store).candidates(attributes as never).length, found);
  });

test.run();
