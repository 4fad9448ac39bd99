/**
 * Defaults of workloads in the removed versions, which were looser than apps/v1: labels and selector come from the template, and the
 * strategies differ.
 */
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';

/** @returns the spec */
export function defaultFromTemplate(object: ApiObject): Struct {
  object.spec ??= {};
  const { spec, metadata } = object;
  const labels = spec.template?.metadata?.labels;
  if (labels === undefined) return spec;
  spec.selector ??= { matchLabels: { ...labels } };
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  return spec;
}

/** @param share how many pods may be missing or surplus during a rolling update */
export function deploymentDefaults(share: number | string): KindRules {
  return {
    defaults(object) {
      const spec = defaultFromTemplate(object);
      const { type = 'RollingUpdate', rollingUpdate } = spec.strategy ?? {};
      if (type !== 'RollingUpdate') return;
      const { maxUnavailable = share, maxSurge = share } = rollingUpdate ?? {};
      spec.strategy = { type, rollingUpdate: { maxUnavailable, maxSurge } };
    },
  };
}
