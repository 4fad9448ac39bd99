/** How figures and traces tell requests apart, as in 1.32. */
import type { RequestLabels } from '../../observability/request-metrics.ts';
import type { RequestInfo } from './request-info.ts';

const APPLY_PATCH = 'application/apply-patch+yaml';

/** The labels of verbs of the API. */
const VERBS: Readonly<Record<string, string>> = {
  create: 'POST',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};

/** @param contentType of the body */
export function verbOf({ verb }: RequestInfo, contentType: string | undefined): string {
  return verb === 'patch' && contentType === APPLY_PATCH ? 'APPLY' : (VERBS[verb] ?? 'other');
}

/** Returns the scope of a request, as in 1.32, where a create is about the object that it makes. */
export function scopeOf({ verb, name, namespace }: RequestInfo): RequestLabels['scope'] {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
