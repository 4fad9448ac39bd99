import type { Identity } from '../contract/identity.ts';
import type { SystemObject } from './system-object.ts';

const NAMES = ['default', '${systemNamespace}', '${publicNamespace}', '${leaseNamespace}'];

/** The namespaces that every cluster has. */
export function systemNamespaces({ text }: Identity): SystemObject[] {
  const resource = { group: '', version: 'v1', name: 'namespaces' };
  return NAMES.map((name) => ({ resource, metadata: { name: text(name) }, members: {} }));
}
