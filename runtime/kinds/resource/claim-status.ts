/** Status of a claim: the devices allocated, who may use them, and what their drivers report. */
import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../../generated/resource/v1beta1/types.ts';
import { duplicate, type FieldError, Notation } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { invalidShown } from '../../go-text/values.ts';
import { deepEqual } from '../../schema/equal.ts';
import { NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';
import { type RequestScope, requestScope } from './requests.ts';

interface ClaimScope extends RequestScope {
  readonly isDeleted: boolean;
  /** who had reserved the stored claim */
  readonly reservedBefore: readonly ResourceClaimConsumerReference[];
  /** devices that the status allocates */
  readonly allocated: ReadonlySet<string>;
}

export function claim(
  object: ResourceClaim,
  old: ResourceClaim | undefined,
  _context: RuleContext,
  outer: RequestScope | undefined,
): ClaimScope {
  return {
    ...requestScope(object.spec, outer),
    isDeleted: object.metadata.deletionTimestamp !== undefined,
    reservedBefore: old?.status?.reservedFor ?? NONE,
    allocated: new Set(results(object).map(deviceId)),
  };
}

/** Nobody begins to use a claim that goes. */
export function isOpen(
  reservations: readonly ResourceClaimConsumerReference[],
  _old: unknown,
  _context: RuleContext,
  { isDeleted, reservedBefore }: ClaimScope,
): boolean {
  return !isDeleted || reservations.every((entry) => reservedBefore.some((other) => deepEqual(entry, other)));
}

export function results({ status }: ResourceClaim): readonly DeviceRequestAllocationResult[] {
  return status?.allocation?.devices?.results ?? NONE;
}

type DeviceId = Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>;

/** As 1.32 shows it, without quotes. */
const deviceId = ({ driver, pool, device }: DeviceId): string => `${driver}/${pool}/${device}`;

export function allocatedDevice(
  device: AllocatedDeviceStatus,
  _old: unknown,
  _context: RuleContext,
  { allocated }: ClaimScope,
): readonly FieldError[] {
  const id = deviceId(device);
  return allocated.has(id) ? NONE : [invalidShown('', id, 'must be an allocated device in the claim')];
}

export function reportedOnce(devices: readonly AllocatedDeviceStatus[]): readonly FieldError[] {
  const seen = new Set<string>();
  return eachItem(devices, '', (device, at) => {
    const id = deviceId(device);
    if (seen.has(id)) return [duplicate(`${at}.deviceID`, new Notation(id))];
    seen.add(id);
    return NONE;
  });
}

const GATE = 'DRAResourceClaimDeviceStatus';

function reports(claim: ResourceClaim | undefined): boolean {
  return (claim?.status?.devices ?? NONE).length > 0;
}

/** While the gate of the reports is off nobody can begin to write them. */
export function dropDeviceStatuses({ status }: ResourceClaim, old: ResourceClaim | undefined, context: RuleContext): void {
  if (status?.devices !== undefined && !reports(old) && !context.featureEnabled(GATE)) delete status.devices;
}

/** Reports go with the allocation of their device. */
export function dropUnallocated(object: ResourceClaim, old: ResourceClaim, context: RuleContext): void {
  const { status } = object;
  if (status?.devices === undefined || !reports(object) || (!reports(old) && !context.featureEnabled(GATE))) return;
  const gone = new Set<string>(results(old).map(deviceId));
  for (const result of results(object)) gone.delete(deviceId(result));
  const kept = status.devices.filter((device) => !gone.has(deviceId(device)));
  if (kept.length === 0) delete status.devices;
  else status.devices = kept;
}
