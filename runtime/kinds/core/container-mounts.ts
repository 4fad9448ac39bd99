/** Where containers mount the volumes of their pod, and which they use as block devices. */
import type { Container, EphemeralContainer, VolumeDevice, VolumeMount } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, notFound } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { foundInEach, joined, NONE } from '../joined.ts';
import type { PodScope } from './pod-scope.ts';

/** The volume is one of the pod's. Of an image all is mounted. */
export function mountedVolume(
  { name, subPath, subPathExpr }: VolumeMount,
  _old: unknown,
  _context: RuleContext,
  scope: PodScope,
): readonly FieldError[] {
  const volume = scope.volume(name);
  if (volume === undefined) return [notFound('.name', name)];
  if (volume.image === undefined || !(subPath || subPathExpr)) return NONE;
  const detail = 'not allowed in image volume sources';
  return [
    ...(subPath ? [invalid('.subPath', subPath, detail)] : NONE),
    ...(subPathExpr ? [invalid('.subPathExpr', subPathExpr, detail)] : NONE),
  ];
}

/** The volume is one of the pod's that can be a device. */
export function blockVolume({ name }: VolumeDevice, _old: unknown, _context: RuleContext, scope: PodScope): readonly FieldError[] {
  const volume = scope.volume(name);
  if (volume === undefined) return [notFound('.name', name)];
  if (volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) return NONE;
  return [invalid('.name', name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode')];
}

/** No volume is a file system and a device in one container, and nothing lies in the other's place. */
export function mountsBesideDevices({ volumeMounts, volumeDevices }: Container | EphemeralContainer): readonly FieldError[] {
  if (volumeMounts === undefined || volumeDevices === undefined) return NONE;
  const mounts = volumeMounts.map(({ name, mountPath }) => ({ name, path: mountPath }));
  const devices = volumeDevices.map(({ name, devicePath }) => ({ name, path: devicePath }));
  return joined(
    places(mounts, devices, 'volumeMounts', 'mountPath', 'volumeDevices'),
    places(devices, mounts, 'volumeDevices', 'devicePath', 'volumeMounts'),
  );
}

interface Place {
  readonly name: string;
  readonly path: string;
}

/** @param list member that has the places. @param member of one that is its path. @param other member that has the others */
function places(own: readonly Place[], others: readonly Place[], list: string, member: string, other: string): readonly FieldError[] {
  const [names, paths] = [new Set(others.map(({ name }) => name)), new Set(others.map(({ path }) => path))];
  return foundInEach(own, ({ name, path }, index) => [
    ...(names.has(name) ? [invalid(`.${list}[${index}].name`, name, `must not already exist in ${other}`)] : NONE),
    ...(paths.has(path) ? [invalid(`.${list}[${index}].${member}`, path, `must not already exist as a path in ${other}`)] : NONE),
  ]);
}
