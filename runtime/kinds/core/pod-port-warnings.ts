import { foundInEach, joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';

interface Port {
  readonly path: string;
  readonly port: Struct;
}

/** Ports that more than one container of a pod names, or one container twice. */
export function portWarnings(containers: readonly { readonly container: Struct; readonly path: string }[]): readonly string[] {
  const byNumber = new Map<string, Port[]>();
  return foundInEach(containers, ({ container, path }) =>
    foundInEach(container.ports as readonly Struct[] | undefined, (port, index) => {
      const at = `${path}.ports[${index}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      const others = byNumber.get(key);
      const collisions = foundInEach(others, (other) => collision(port, at, other));
      if (others === undefined) byNumber.set(key, [{ path: at, port }]);
      else others.push({ path: at, port });
      return joined(port.hostIP && !port.hostPort ? [`${at}: hostIP set without hostPort: ${describe(port)}`] : NONE, collisions);
    }),
  );
}

/** As Go prints a port. */
function describe({ name = '', hostPort = 0, containerPort = 0, protocol = '', hostIP = '' }: Struct): string {
  return `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
}

function collision(port: Struct, path: string, other: Port): string[] {
  const [hostIp, otherIp]: [string, string] = [port.hostIP ?? '', other.port.hostIP ?? ''];
  const [hostPort, otherPort]: [number, number] = [port.hostPort ?? 0, other.port.hostPort ?? 0];
  if (hostIp === otherIp && hostPort === otherPort) return [`${path}: duplicate port definition with ${other.path}`];
  if (hostPort === 0 || otherPort === 0) return [`${path}: overlapping port definition with ${other.path}`];
  const ambiguous = hostPort === otherPort && (hostIp === '') !== (otherIp === '');
  return ambiguous ? [`${path}: dangerously ambiguous port definition with ${other.path}`] : [];
}
