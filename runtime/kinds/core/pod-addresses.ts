import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';

/** The first of the addresses has a member of its own; writers know one form or the other. */
export function alignAddresses({ status }: ApiObject): void {
  if (!status) return;
  const addresses: Struct[] = status.podIPs ?? [];
  if (status.podIP && addresses[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && addresses[0]?.ip) status.podIP = addresses[0].ip;
}
