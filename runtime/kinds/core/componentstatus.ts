import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';

function cells({ metadata, conditions }: ApiObject): unknown[] {
  const healthy: Struct = ((conditions ?? []) as Struct[]).findLast(({ type }) => type === 'Healthy');
  const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
  return [metadata.name, status, healthy?.message ?? '', healthy?.error ?? ''];
}

export const rules: KindRules = { cells };
