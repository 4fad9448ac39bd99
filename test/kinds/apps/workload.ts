/** Objects that run pods, for tests. */
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';

export const container = { name: 'c', image: 'nginx:1.27' };
export const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [container] } };
export const selector = { matchLabels: { app: 'a' } };

/** A decoded object; `spec` and `status` go over those of a small good one. */
export function workload(kind: Kind, spec: object = {}, status: object = {}, metadata: object = {}): ApiObject {
  return kind.decode({
    metadata: { name: 'x', namespace: 'n', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    spec: { selector, template, ...spec },
    status,
  }).object;
}
