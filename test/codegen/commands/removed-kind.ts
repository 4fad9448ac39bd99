/** A row of the table of removed kinds, and what several rows write. */

// biome-ignore lint/suspicious/noExplicitAny: objects of any kind
export type Json = any;

export interface Row {
  readonly from: string;
  readonly kind: string;
  readonly written: Json;
  readonly to: string;
  /** without `apiVersion` and `kind`; absent: what was written */
  readonly becomes?: Json;
  /** beginnings of all notices, in their order; absent: none */
  readonly notices?: readonly string[];
}

export const metadata = { name: 'a' };
export const podSpec = { containers: [{ name: 'a', image: 'a:1' }] };
export const template = { metadata: { labels: { app: 'a' } }, spec: podSpec };
export const selector = { matchLabels: { app: 'a' } };
export const ofTemplate = { metadata: { name: 'a', labels: { app: 'a' } } };
export const SELECTED = ['metadata.labels: {"app":"a"} is written out', 'spec.selector: {"matchLabels":{"app":"a"}} is written out'];
export const roleRules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
export const rbac = 'rbac.authorization.k8s.io';
export const binding = {
  metadata,
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'r' },
  subjects: [{ kind: 'User', apiGroup: rbac, name: 'u' }],
};
export const resourceAttributes = { verb: 'get', resource: 'pods' };
export const webhook = { name: 'a.example.com', clientConfig: { url: 'https://a.example.com' }, rules: [] };
export const oldWebhook = {
  ...webhook,
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  sideEffects: 'Unknown',
  timeoutSeconds: 30,
  admissionReviewVersions: ['v1beta1'],
};
export const flow = { priorityLevelConfiguration: { name: 'p' }, rules: [] };
export const level = (member: string) => ({
  metadata,
  spec: { type: 'Limited', limited: { [member]: 5, limitResponse: { type: 'Reject' } } },
});
export const hpa = (...metrics: Json[]) => ({
  metadata,
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, metrics },
});
export const resourceMetric = (source: Json) => ({ type: 'Resource', resource: { name: 'cpu', ...source } });
export const utilization = resourceMetric({ target: { type: 'Utilization', averageUtilization: 50 } });
export const same = (from: string, kind: string, to: string, written: Json): Row => ({ from, kind, to, written });
