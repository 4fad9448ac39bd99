import type { PodIP } from '../../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../../contract/object.ts';

/** The first of the addresses has a member of its own; writers know one form or the other. */
export function alignAddresses({ status }: ApiObject): void {
  if (!status) return;
  const addresses: PodIP[] = status.podIPs ?? [];
  if (status.podIP && addresses[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && addresses[0]?.ip) status.podIP = addresses[0].ip;
}
