/** Where containers mount the volumes of their pod, and which they use as block devices. */

import { type FieldError, forbidden, invalid, notFound, notSupported } from '../../contract/field-error.ts';
import { pathWithoutBacksteps, relativePath } from '../../formats/paths.ts';
import { joined, NONE } from '../joined.ts';
import type { Struct } from '../struct.ts';
import { eachItem, invalidAs, needed, oneOf } from './findings.ts';

/** The pod's volumes that are valid, by name. */
export type Volumes = ReadonlyMap<string, Struct>;

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

export function validateMounts(container: Struct, volumes: Volumes, path: string): readonly FieldError[] {
  if (!container.volumeMounts) return NONE;
  const devices: readonly Struct[] = container.volumeDevices ?? [];
  const mountPaths = new Set<string>();
  return eachItem(container.volumeMounts as readonly Struct[] | undefined, path, (mount, at) => {
    const { name = '', mountPath = '' } = mount;
    const errors = [...joined(needed(name, `${at}.name`), volumes.has(name) ? NONE : [notFound(`${at}.name`, name)])];
    errors.push(...needed(mountPath, `${at}.mountPath`));
    if (mountPaths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    mountPaths.add(mountPath);
    if (devices.some((device) => device.name === name)) errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devices.some((device) => device.devicePath === mountPath))
      errors.push(invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'));
    // 1.32 reports what is wrong within a mount at the path of the list.
    return joined(
      errors,
      validateSubPaths(mount, volumes.get(name), at, path),
      validatePropagation(mount, container, `${path}.mountPropagation`),
      validateRecursiveReadOnly(mount, `${path}.recursiveReadOnly`),
    );
  });
}

function validateSubPaths({ subPath, subPathExpr }: Struct, volume: Struct, at: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (volume?.image !== undefined) {
    const detail = 'not allowed in image volume sources';
    if (subPath) errors.push(invalid(`${at}.subPath`, subPath, detail));
    if (subPathExpr) errors.push(invalid(`${at}.subPathExpr`, subPathExpr, detail));
  }
  if (subPath) errors.push(...invalidAs(relativePath(subPath), `${path}.subPath`, subPath));
  if (subPath && subPathExpr) errors.push(invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  if (subPathExpr) errors.push(...invalidAs(relativePath(subPathExpr), `${path}.subPathExpr`, subPathExpr));
  return errors;
}

function validatePropagation({ mountPropagation }: Struct, container: Struct, path: string): readonly FieldError[] {
  const errors = [...oneOf(mountPropagation, path, PROPAGATIONS)];
  if (mountPropagation === 'Bidirectional' && container.securityContext?.privileged !== true)
    errors.push(forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'));
  return errors;
}

function validateRecursiveReadOnly({ recursiveReadOnly, readOnly, mountPropagation }: Struct, path: string): readonly FieldError[] {
  switch (recursiveReadOnly) {
    case undefined:
    case 'Disabled':
      return NONE;
    case 'Enabled':
    case 'IfPossible':
      return joined(
        readOnly ? NONE : [forbidden(path, 'may only be specified when readOnly is true')],
        mountPropagation === undefined || mountPropagation === 'None'
          ? NONE
          : [forbidden(path, 'may only be specified when mountPropagation is None or not specified')],
      );
    default:
      return [notSupported(path, recursiveReadOnly, ['Disabled', 'Enabled', 'IfPossible'])];
  }
}

export function validateDevices(container: Struct, volumes: Volumes, path: string): readonly FieldError[] {
  if (!container.volumeDevices) return NONE;
  const mounts: readonly Struct[] = container.volumeMounts ?? [];
  const names = new Set<string>();
  const paths = new Set<string>();
  return eachItem(container.volumeDevices as readonly Struct[] | undefined, path, ({ name = '', devicePath = '' }, at) => {
    const errors = [...needed(name, `${at}.name`)];
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, 'must be unique'));
    errors.push(...validateDeviceVolume(name, volumes.get(name), `${at}.name`), ...needed(devicePath, `${at}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'));
    if (pathWithoutBacksteps(devicePath).length > 0)
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name)) errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'));
    if (mounts.some((mount) => mount.mountPath === devicePath))
      errors.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'));
    if (name !== '') names.add(name);
    return errors;
  });
}

function validateDeviceVolume(name: string, volume: Struct, path: string): readonly FieldError[] {
  if (volume === undefined) return [notFound(path, name)];
  if (volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined) return NONE;
  return [invalid(path, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode')];
}
