import type { Struct } from '../struct.ts';

interface Port {
  readonly path: string;
  readonly port: Struct;
}

/** Ports that more than one container of a pod names, or one container twice. */
export function portWarnings(containers: readonly { readonly container: Struct; readonly path: string }[]): string[] {
  const byNumber = new Map<string, Port[]>();
  return containers.flatMap(({ container, path }) =>
    ((container.ports ?? []) as Struct[]).flatMap((port, index) => {
      const at = `${path}.ports[${index}]`;
      const key = `${port.containerPort}/${port.protocol}`;
      const others = byNumber.get(key) ?? [];
      byNumber.set(key, [...others, { path: at, port }]);
      const unbound = port.hostIP && !port.hostPort ? [`${at}: hostIP set without hostPort: ${describe(port)}`] : [];
      return [...unbound, ...others.flatMap((other) => collision(port, at, other))];
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
