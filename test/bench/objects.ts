/** The objects that are stored and read: pods of 3 KB and small config maps, their bodies with the marks of `NumberedRequest`. */
import { LAST_TWO_DIGITS, NUMBER } from './load/numbered-request.ts';
import { SENT_AT } from './load/watchers.ts';

const POD_BYTES = 3_000;

export const podName = `pod-${NUMBER}`;
/** Carried by one pod in a hundred with the same value. */
export const PERCENT_LABEL = 'bench-percent';

/** What a controller would write, filled up to 3 KB with environment variables. */
export function podBody(): string {
  const environment = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `SETTING_${i}`, value: `value number ${i} of this pod` }));
  const pod = (count: number) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: podName,
        labels: { app: 'bench', 'pod-template-hash': '5d4f8c7b9', [PERCENT_LABEL]: `p${LAST_TWO_DIGITS}` },
        annotations: { 'example.com/checksum': 'a'.repeat(64), 'example.com/owner': 'a team with a name' },
      },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'registry.example.com/team/application:v1.2.3',
            command: ['/bin/application', '--listen=:8080', '--log-level=info'],
            ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
            env: environment(count),
            resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
            readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
          },
        ],
        nodeSelector: { disk: 'fast' },
        tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'bench', effect: 'NoSchedule' }],
        terminationGracePeriodSeconds: 0,
      },
    });
  let count = 0;
  while (pod(count).length < POD_BYTES) count++;
  return pod(count);
}

export const configMapName = `map-${NUMBER}`;

/** @param namespace of a config map that is written anew with the time of writing */
export function configMapBody(namespace: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configMapName, namespace },
    data: { written: `${SENT_AT}${'0'.repeat(16)}`, text: 'x'.repeat(200) },
  });
}
