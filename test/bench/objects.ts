/** The objects that are stored and read: pods and config maps, their bodies with the marks of `NumberedRequest`. */
import { LAST_TWO_DIGITS, NUMBER, REMAINDER, TURN } from './load/numbered-request.ts';
import { SENT_AT } from './load/watchers.ts';

/** Of pods that are written and got one by one. */
export const POD_BYTES = 3_000;
/** Of pods that are listed: about 5 KB when they are read, with what the server adds (defaults, owners of fields). */
export const LISTED_POD_BYTES = 2_600;
const VARIABLES = 5;

export const podName = `pod-${NUMBER}`;
/** Carried by one pod in a hundred with the same value. */
export const PERCENT_LABEL = 'bench-percent';
/** Two pods in a hundred are on the same one. */
const nodeName = `node-${REMAINDER}`;

/**
 * What a controller would write, filled up with an annotation.
 * @param bytes of the body
 */
export function podBody(bytes: number = POD_BYTES): string {
  const env = Array.from({ length: VARIABLES }, (_, i) => ({ name: `SETTING_${i}`, value: `value number ${i} of this pod` }));
  const pod = (filling: number) =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: podName,
        labels: { app: 'bench', 'pod-template-hash': '5d4f8c7b9', [PERCENT_LABEL]: `p${LAST_TWO_DIGITS}` },
        annotations: {
          'example.com/checksum': 'a'.repeat(64),
          'example.com/owner': 'a team with a name',
          'example.com/notes': 'n'.repeat(filling),
        },
      },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'registry.example.com/team/application:v1.2.3',
            command: ['/bin/application', '--listen=:8080', '--log-level=info'],
            ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
            env,
            resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
            readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 5 },
          },
        ],
        nodeName,
        // no volume with a name of its own in each pod
        automountServiceAccountToken: false,
        nodeSelector: { disk: 'fast' },
        tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'bench', effect: 'NoSchedule' }],
        terminationGracePeriodSeconds: 0,
      },
    });
  return pod(Math.max(0, bytes - pod(0).length));
}

/** The place of the mark of the time. */
const NOT_SENT = `${SENT_AT}${'0'.repeat(16)}`;

export const configMapName = `map-${NUMBER}`;

/** @param namespace of a config map that is written anew with the time of writing */
export function configMapBody(namespace: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configMapName, namespace },
    data: { written: NOT_SENT, text: 'x'.repeat(200) },
  });
}

/** A config map that about 1 KB is stored of, with a label that one in a hundred carries with the same value. */
export function labelledConfigMapBody(): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configMapName, labels: { app: 'bench', [PERCENT_LABEL]: `p${LAST_TWO_DIGITS}` } },
    data: { text: 'x'.repeat(650) },
  });
}

/** What every write of a pod that is there already changes. */
const TURN_ANNOTATION = { 'example.com/turn': TURN };

/** A pod as a client puts it that has read and changed it. @param stored one that was made of `podBody(bytes)`, as it is read */
export function changedPodBody(bytes: number, stored: { readonly spec: object }): string {
  const pod = JSON.parse(podBody(bytes));
  pod.metadata.annotations = { ...pod.metadata.annotations, ...TURN_ANNOTATION };
  return JSON.stringify({ ...pod, spec: { ...stored.spec, nodeName } });
}

/** A merge patch of one annotation. */
export const TURN_PATCH = JSON.stringify({ metadata: { annotations: TURN_ANNOTATION } });

/** A strategic merge patch of an annotation and of a container that is there: what clients send that have changed its image. */
export const STRATEGIC_PATCH = JSON.stringify({
  metadata: { annotations: TURN_ANNOTATION },
  spec: { containers: [{ name: 'main', image: `registry.example.com/team/application:${TURN}` }] },
});

/** What an applier wants of a pod: labels, an annotation, an image. */
export const TURN_INTENT = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: podName, labels: { 'applied-by': 'bench' }, annotations: TURN_ANNOTATION },
  spec: { containers: [{ name: 'main', image: 'registry.example.com/team/application:v1.2.3' }] },
});

/** A merge patch that writes the time into an annotation. */
export const ANNOTATION_PATCH = JSON.stringify({ metadata: { annotations: { 'example.com/written': NOT_SENT } } });
