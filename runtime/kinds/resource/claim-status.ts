/** Status of a claim: the devices allocated, who may use them, and what their drivers report. */
import { type FieldError, forbidden, tooMany } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';
import { eachItem, needed, neededOneOf } from '../core/findings.ts';
import { validateNodeSelector } from '../core/node-selector.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { unchanged } from '../immutable.ts';
import { validateConditions } from '../metadata/conditions.ts';
import type { Struct } from '../struct.ts';
import { type List, validateDistinct, validateList } from './collections.ts';
import { type RequestNames, requestNames, validateRequestReference, validateRequestReferences } from './device-claim.ts';
import { CONFIGURATIONS_LIMIT, validateConfiguration, validateData } from './device-configuration.ts';
import { validateLabelText, validatePoolName } from './names.ts';
import { validateNetworkData } from './network-data.ts';

const RESERVATIONS_LIMIT = 256;
const RESULTS_LIMIT = 32;
const CONDITIONS_LIMIT = 8;
const DATA_LENGTH = 10 * 1024;
/** in the order in which 1.32 shows them */
const SOURCES = ['FromClaim', 'FromClass'];

export function validateStatusChange({ metadata, spec, status = {} }: ApiObject, old: ApiObject): FieldError[] {
  const allocated = new Set((status.allocation?.devices?.results ?? []).map(deviceId));
  return [
    ...validateDistinct(status.reservedFor, 'status.reservedFor', RESERVATIONS_LIMIT, validateConsumer, 'uid'),
    ...validateDeviceStatuses(status.devices, 'status.devices', allocated as ReadonlySet<string>),
    ...validateReservations(status, old.status ?? {}, metadata.deletionTimestamp !== undefined, 'status.reservedFor'),
    ...validateAllocationChange(status.allocation, old.status?.allocation, 'status.allocation', requestNames(spec)),
  ];
}

function validateConsumer({ resource, name, uid }: Struct, path: string): FieldError[] {
  return [...needed(resource, `${path}.resource`), ...needed(name, `${path}.name`), ...needed(uid, `${path}.uid`)];
}

function validateReservations(status: Struct, old: Struct, deleted: boolean, path: string): FieldError[] {
  const reservations: readonly Struct[] = status.reservedFor ?? [];
  if (reservations.length === 0) return [];
  if (status.allocation === undefined) return [forbidden(path, 'may not be specified when `allocated` is not set')];
  const before: readonly Struct[] = old.reservedFor ?? [];
  const adds = deleted && reservations.some((entry) => !before.some((other) => deepEqual(entry, other)));
  return adds ? [forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')] : [];
}

/** An allocation stays as it is until it goes; what was stored is not checked again. */
function validateAllocationChange(
  allocation: Struct | undefined,
  old: Struct | undefined,
  path: string,
  names: RequestNames,
): FieldError[] {
  if (allocation === undefined) return [];
  if (old !== undefined) return unchanged(allocation, old, path);
  const { devices = {}, nodeSelector } = allocation;
  return [
    ...validateList<Struct>(devices.results, `${path}.devices.results`, RESULTS_LIMIT, (result, at) => validateResult(result, at, names)),
    ...validateList<Struct>(devices.config, `${path}.devices.config`, 2 * CONFIGURATIONS_LIMIT, (settings, at) => [
      ...neededOneOf(settings.source, `${at}.source`, SOURCES),
      ...validateRequestReferences(settings.requests, `${at}.requests`, names),
      ...validateConfiguration(settings, at, false),
    ]),
    ...(nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, `${path}.nodeSelector`)),
  ];
}

function validateResult(result: Struct, path: string, names: RequestNames): FieldError[] {
  return [...validateRequestReference(result.request ?? '', `${path}.request`, names), ...validateDevice(result, path)];
}

/** Which device it is: driver, pool and name. */
function validateDevice({ driver = '', pool = '', device = '' }: Struct, path: string): FieldError[] {
  return [
    ...validateCsiDriverName(driver, `${path}.driver`),
    ...validatePoolName(pool, `${path}.pool`),
    ...validateLabelText(device, `${path}.device`),
  ];
}

function deviceId({ driver = '', pool = '', device = '' }: Struct): string {
  return `${driver}/${pool}/${device}`;
}

function validateDeviceStatuses(statuses: List<Struct>, path: string, allocated: ReadonlySet<string>): FieldError[] {
  const seen = new Set<string>();
  return [
    ...eachItem(statuses, path, (status, at) => validateDeviceStatus(status, at, allocated)),
    ...eachItem(statuses, path, (status, at) => {
      const id = deviceId(status);
      if (seen.has(id)) return [aboutDevice('FieldValueDuplicate', `${at}.deviceID`, `Duplicate value: ${id}`)];
      seen.add(id);
      return [];
    }),
  ];
}

/** 1.32 shows the three parts of a device's name without quotes. */
function aboutDevice(reason: 'FieldValueDuplicate' | 'FieldValueInvalid', field: string, message: string): FieldError {
  return { reason, field, message };
}

function validateDeviceStatus(status: Struct, path: string, allocated: ReadonlySet<string>): FieldError[] {
  const id = deviceId(status);
  const unknown = `Invalid value: ${id}: must be an allocated device in the claim`;
  const conditions: readonly Struct[] = status.conditions ?? [];
  const at = `${path}.conditions`;
  return [
    ...validateDevice(status, path),
    ...(allocated.has(id) ? [] : [aboutDevice('FieldValueInvalid', path, unknown)]),
    ...(conditions.length > CONDITIONS_LIMIT ? [tooMany(at, conditions.length, CONDITIONS_LIMIT)] : []),
    ...validateConditions(conditions, at),
    ...((status.data ?? undefined) === undefined ? [] : validateData(status.data, `${path}.data`, DATA_LENGTH)),
    ...validateNetworkData(status.networkData, `${path}.networkData`),
  ];
}

const GATE = 'DRAResourceClaimDeviceStatus';

function reports(claim: ApiObject | undefined): boolean {
  return (claim?.status?.devices ?? []).length > 0;
}

/** While the gate of the reports is off nobody can begin to write them. */
export function dropDeviceStatuses(claim: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
  if (claim.status?.devices !== undefined && !reports(old) && !context.featureEnabled(GATE)) delete claim.status.devices;
}

/** Reports go with the allocation of their device. */
export function dropUnallocated(claim: ApiObject, old: ApiObject, context: RuleContext): void {
  if (!reports(claim) || (!reports(old) && !context.featureEnabled(GATE))) return;
  const gone = new Set<string>((old.status?.allocation?.devices?.results ?? []).map(deviceId));
  for (const result of claim.status.allocation?.devices?.results ?? []) gone.delete(deviceId(result));
  const kept = claim.status.devices.filter((device: Struct) => !gone.has(deviceId(device)));
  if (kept.length === 0) delete claim.status.devices;
  else claim.status.devices = kept;
}
