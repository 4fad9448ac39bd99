/** Beginnings of JSON names that Go writes in capitals. */
const INITIALISMS: ReadonlySet<string> = new Set([
  'api',
  'aws',
  'cidr',
  'csi',
  'dns',
  'fc',
  'fs',
  'gce',
  'gmsa',
  'grpc',
  'http',
  'ip',
  'iqn',
  'iscsi',
  'nfs',
  'os',
  'pd',
  'rbd',
  'se',
  'ssl',
  'tcp',
  'tty',
  'uid',
]);

/** The name of a field in Go: `restartPolicy` becomes RestartPolicy, `apiVersion` APIVersion, `fsType` FSType. */
export function goName(jsonName: string): string {
  const [first = ''] = /^[a-z0-9]*/.exec(jsonName) ?? [];
  if (INITIALISMS.has(first)) return first.toUpperCase() + jsonName.slice(first.length);
  return jsonName.charAt(0).toUpperCase() + jsonName.slice(1);
}
