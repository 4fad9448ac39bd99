import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ORDERED_PLUGINS } from '../../runtime/admission/ordered-plugins.ts';
import { PhaseSteps, type PossibleStep, type Step } from '../../runtime/admission/phase-steps.ts';
import type { PluginParts } from '../../runtime/admission/plugin-interface/plugin.ts';
import type { Resource } from '../../runtime/registry/resources/resource.ts';

const resource = (name: string) => ({ groupResource: { group: '', resource: name } }) as Resource;

/** Steps by name, each with the resources that it is for, and what was counted of them. */
function stepsOf(of: Readonly<Record<string, readonly string[]>>) {
  const counted: string[] = [];
  const possible = Object.entries(of).map(([name, resources]): PossibleStep => {
    const distribution = { observe: (value: number) => counted.push(`${name} ${value}`) };
    const concerns = ({ groupResource }: Resource) => resources.includes(groupResource.resource);
    return { name, concerns, ask() {}, admitted: distribution, rejected: distribution };
  });
  const steps = new PhaseSteps(possible, (names) => ({ inc: () => counted.push(`all of ${names.join(' ')}`) }));
  return { steps, counted };
}

const test = suite('steps of admission');
const namesOf = (asked: readonly Step[]): unknown[] => asked.map((step) => (step as unknown as PossibleStep).name);

test('those alone are asked that are for the resource, in their order, and the others count together', () => {
  const { steps, counted } = stepsOf({ first: ['pods', 'nodes'], second: ['nodes'], third: ['pods'] });
  const chosen = steps.of(resource('pods'));
  assert.equal(namesOf(chosen.asked), ['first', 'third']);
  chosen.end();
  assert.equal(counted, ['all of second']);
});

test('of those that are passed over, the ones before a refusal count, for no time', () => {
  const { steps, counted } = stepsOf({ first: ['nodes'], second: ['pods'], third: ['nodes'] });
  const chosen = steps.of(resource('pods'));
  chosen.endAt(chosen.asked[0] as Step);
  assert.equal(counted, ['first 0']);
});

test('resources for which the same are asked have one choice, however many come and go', () => {
  const { steps } = stepsOf({ first: ['pods'] });
  assert.is(steps.of(resource('a')), steps.of(resource('b')));
  assert.is.not(steps.of(resource('pods')), steps.of(resource('a')));
});

test('plugins say by the resource alone which they are for', () => {
  const parts = {
    identity: { text: (template: string) => template },
    followed: () => ({ changes: 0, in: () => [], get: () => undefined }),
    objects: {},
    authorizer: {},
    featureEnabled: () => true,
    configuration: () => undefined,
    metrics: { counter: () => ({}), histogram: () => ({}) },
    release: '1.32',
    tolerationSeconds: { notReady: 300, unreachable: 300 },
  } as unknown as PluginParts;
  const asked = (group: string, name: string, phase: 'mutate' | 'validate') =>
    [
      'LimitRanger',
      'ServiceAccount',
      'TaintNodesByCondition',
      'PodSecurity',
      'Priority',
      'DefaultTolerationSeconds',
      'DefaultStorageClass',
      'StorageObjectInUseProtection',
      'PersistentVolumeClaimResize',
      'RuntimeClass',
      'CertificateApproval',
      'CertificateSubjectRestriction',
      'DefaultIngressClass',
      'PodTopologyLabels',
    ].filter((plugin) => {
      const { concerns } = (ORDERED_PLUGINS.find((each) => each.name === plugin) as (typeof ORDERED_PLUGINS)[number]).make(parts);
      return concerns?.({ group, resource: name }, phase) ?? true;
    });
  const ofPods = ['LimitRanger', 'ServiceAccount', 'PodSecurity', 'DefaultTolerationSeconds', 'RuntimeClass', 'PodTopologyLabels'];
  assert.equal(asked('', 'pods', 'mutate'), [...ofPods.slice(0, 3), 'Priority', ...ofPods.slice(3)]);
  assert.equal(asked('', 'pods', 'validate'), ofPods);
  assert.equal(asked('', 'nodes', 'mutate'), ['TaintNodesByCondition']);
  assert.equal(asked('', 'namespaces', 'validate'), ['PodSecurity']);
  assert.equal(asked('apps', 'deployments', 'validate'), ['PodSecurity']);
  assert.equal(asked('', 'persistentvolumeclaims', 'mutate'), [
    'LimitRanger',
    'DefaultStorageClass',
    'StorageObjectInUseProtection',
    'PersistentVolumeClaimResize',
  ]);
  assert.equal(asked('scheduling.${groupDomain}', 'priorityclasses', 'validate'), ['Priority']);
  assert.equal(asked('certificates.${groupDomain}', 'certificatesigningrequests', 'validate'), [
    'CertificateApproval',
    'CertificateSubjectRestriction',
  ]);
  assert.equal(asked('networking.${groupDomain}', 'ingresses', 'mutate'), ['DefaultIngressClass']);
  assert.equal(asked('', 'configmaps', 'mutate'), []);
});

test.run();
