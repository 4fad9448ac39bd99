import type { ContainerPort } from '../../../../generated/core/v1/types.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';

interface Port {
  readonly path: string;
  readonly port: Partial<ContainerPort>;
}

/** Collisions that are told: more than an answer has room for. */
const MAX_COLLISIONS = 100;
/** Ports of one number that others are compared with. */
const MAX_OF_NUMBER = 200;

/** Ports that more than one container of a pod names, or one container twice. */
export function portWarnings(
  containers: readonly { readonly container: { readonly ports?: readonly Partial<ContainerPort>[] }; readonly path: string }[],
): readonly string[] {
  if (isOneFreePort(containers)) return NONE;
  const byNumber = new Map<string, Port[]>();
  let told = 0;
  return foundInEach(containers, (place) =>
    foundInEach(place.container.ports, (port, index) => {
      const at = `${place.path}.ports[${index}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      const others = byNumber.get(key);
      const collisions = told >= MAX_COLLISIONS ? NONE : foundInEach(others, (other) => collision(port, at, other));
      told += collisions.length;
      if (others === undefined) byNumber.set(key, [{ path: at, port }]);
      else if (others.length < MAX_OF_NUMBER) others.push({ path: at, port });
      return joined(port.hostIP && !port.hostPort ? [`${at}: hostIP set without hostPort: ${describe(port)}`] : NONE, collisions);
    }),
  );
}

/** Nothing can be said of a single port without an address. */
function isOneFreePort(containers: Parameters<typeof portWarnings>[0]): boolean {
  let count = 0;
  for (const { container } of containers) for (const { hostIP } of container.ports ?? NONE) if (++count > 1 || hostIP) return false;
  return true;
}

/** As Go prints a port. */
function describe({ name = '', hostPort = 0, containerPort = 0, protocol, hostIP = '' }: Partial<ContainerPort>): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol ?? ''} HostIP:${hostIP}}`;
}

function collision(port: Partial<ContainerPort>, path: string, other: Port): string[] {
  const [hostIp, otherIp]: [string, string] = [port.hostIP ?? '', other.port.hostIP ?? ''];
  const [hostPort, otherPort]: [number, number] = [port.hostPort ?? 0, other.port.hostPort ?? 0];
  if (hostIp === otherIp && hostPort === otherPort) return [`${path}: duplicate port definition with ${other.path}`];
  if (hostPort === 0 || otherPort === 0) return [`${path}: overlapping port definition with ${other.path}`];
  const ambiguous = hostPort === otherPort && (hostIp === '') !== (otherIp === '');
  return ambiguous ? [`${path}: dangerously ambiguous port definition with ${other.path}`] : [];
}
