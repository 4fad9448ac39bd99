/** Where containers mount the volumes of their pod, and which they use as block devices. */
import type { Container, EphemeralContainer, VolumeMount } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import type { PodScope } from './pod-scope.ts';

/** The volume is one of the pod's. */
export function isVolume(name: string, _old: unknown, _context: RuleContext, scope: PodScope): boolean {
  return scope.volume(name) !== undefined;
}

/** Of an image all is mounted. */
export function mayHavePaths(_path: string, _old: unknown, _context: RuleContext, scope: PodScope, { name }: VolumeMount): boolean {
  return scope.volume(name)?.image === undefined;
}

export function canBeDevice(name: string, _old: unknown, _context: RuleContext, scope: PodScope): boolean {
  const volume = scope.volume(name);
  return volume === undefined || volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined;
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
