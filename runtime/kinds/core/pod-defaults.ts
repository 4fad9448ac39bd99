/** Defaults of pods that templates of pods do not get. */
import type { ApiObject } from '../../contract/object.ts';
import { numeric } from '../../schema/raw-number.ts';
import type { Struct } from '../struct.ts';
import { defaultPodSpec } from './pod-template-defaults.ts';

export function defaultPod(pod: ApiObject): void {
  const { spec, status } = pod;
  if (spec) {
    defaultPodSpec(spec);
    const containers: Struct[] = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    for (const container of containers) requestLimits(container);
    spec.enableServiceLinks ??= true;
    if (spec.hostNetwork === true) for (const container of containers) shareHostPorts(container);
    if (numeric(spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  }
  if (status) alignAddresses(status);
}

/** A container that limits a resource requests that much of it. */
function requestLimits({ resources }: Struct): void {
  if (resources?.limits === undefined || areRequested(resources)) return;
  const requests: Record<string, string> = { ...resources.limits, ...resources.requests };
  resources.requests = Object.fromEntries(
    Object.keys(requests)
      .sort()
      .map((name) => [name, requests[name]]),
  );
}

function areRequested({ limits, requests }: Struct): boolean {
  if (requests === undefined) return false;
  for (const name in limits) if (!Object.hasOwn(requests, name)) return false;
  return true;
}

function shareHostPorts({ ports }: Struct): void {
  for (const port of ports ?? []) if (!port.hostPort) port.hostPort = port.containerPort;
}

/** The first of the addresses has a member of its own; writers know one form or the other. */
function alignAddresses(status: Struct): void {
  const addresses: Struct[] = status.podIPs ?? [];
  if (status.podIP && addresses.length === 0) status.podIPs = [{ ip: status.podIP }];
  else if (status.podIP && addresses[0]?.ip !== status.podIP) status.podIPs = [{ ip: status.podIP }];
  else if (!status.podIP && addresses[0]?.ip) status.podIP = addresses[0].ip;
}
