/** What kubectl's own tests of its converter look for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { convert } from './converted-kinds.ts';
import { hpa, type Json, metadata, resourceMetric, selector, template } from './removed-kind.ts';

const upstream = suite('as kubectl convert');
const wholes: [name: string, written: Json, to: string, parts: Json][] = [
  [
    'a deployment of apps/v1 goes back to extensions/v1beta1',
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { selector, template } },
    'extensions/v1beta1',
    {},
  ],
  [
    'a deployment of extensions/v1beta1 goes to apps/v1beta2',
    { apiVersion: 'extensions/v1beta1', kind: 'Deployment', metadata, spec: { selector, template } },
    'apps/v1beta2',
    {},
  ],
  [
    'an autoscaler of v1 has a metric in v2beta1',
    {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata,
      spec: { ...hpa().spec, metrics: undefined, targetCPUUtilizationPercentage: 50 },
    },
    'autoscaling/v2beta1',
    { metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } }] },
  ],
  [
    'an autoscaler of v2beta1 has a percentage in v1',
    { apiVersion: 'autoscaling/v2beta1', kind: 'HorizontalPodAutoscaler', ...hpa(resourceMetric({ targetAverageUtilization: 50 })) },
    'autoscaling/v1',
    { targetCPUUtilizationPercentage: 50 },
  ],
  [
    'an ingress of networking v1 goes to extensions/v1beta1',
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    },
    'extensions/v1beta1',
    { backend: { serviceName: 's', servicePort: 80 } },
  ],
];
for (const [name, written, to, parts] of wholes)
  upstream(name, async () => {
    const { value } = await convert(written, to);
    assert.is(value.apiVersion, to);
    for (const [member, expected] of Object.entries(parts)) assert.equal((value.spec as Json)[member], expected);
  });
upstream('all defaults are written where that is asked for', async () => {
  const { value } = await convert({ apiVersion: 'extensions/v1beta1', kind: 'Deployment', metadata, spec: { template } }, 'apps/v1', true);
  const { status, metadata: meta, spec } = value as Json;
  assert.equal(status, {});
  assert.is(meta.creationTimestamp, null);
  assert.is(spec.replicas, 1);
  assert.is(spec.template.spec.restartPolicy, 'Always');
  assert.is(spec.progressDeadlineSeconds, 2147483647);
});
upstream.run();
