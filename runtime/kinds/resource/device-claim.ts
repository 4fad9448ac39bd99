/** What a claim asks for: requests, conditions on their devices together, settings. Claims and templates of claims have it. */
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { numeric } from '../../schema/raw-number.ts';
import { neededAs } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validateDistinct, validateList, validateTexts } from './collections.ts';
import { CONFIGURATIONS_LIMIT, SELECTORS_LIMIT, validateConfiguration, validateDeviceSelector } from './device-configuration.ts';
import { validateFullyQualifiedName, validateLabelText } from './names.ts';

const REQUESTS_LIMIT = 32;
const CONSTRAINTS_LIMIT = 32;
/** in the order in which 1.32 shows them */
const ALLOCATION_MODES = ['All', 'ExactCount'];

export type RequestNames = ReadonlySet<string>;

export function requestNames(spec: Struct): RequestNames {
  return new Set((spec.devices?.requests ?? []).map((request: Struct) => request.name ?? ''));
}

/** @param stored whether the claim was stored with this spec before */
export function validateClaimSpec(spec: Struct, path: string, stored: boolean): FieldError[] {
  const { requests, constraints, config } = spec.devices ?? {};
  const names = requestNames(spec);
  const at = `${path}.devices`;
  return [
    ...validateDistinct(requests, `${at}.requests`, REQUESTS_LIMIT, validateRequest, 'name'),
    ...validateList<Struct>(constraints, `${at}.constraints`, CONSTRAINTS_LIMIT, (constraint, itemPath) =>
      validateConstraint(constraint, itemPath, names),
    ),
    ...validateList<Struct>(config, `${at}.config`, CONFIGURATIONS_LIMIT, (settings, itemPath) => [
      ...validateRequestReferences(settings.requests, `${itemPath}.requests`, names),
      ...validateConfiguration(settings, itemPath, stored),
    ]),
  ];
}

function validateRequest(request: Struct, path: string): FieldError[] {
  return [
    ...validateLabelText(request.name ?? '', `${path}.name`),
    ...neededAs(request.deviceClassName, `${path}.deviceClassName`, dnsSubdomain),
    ...validateList<Struct>(request.selectors, `${path}.selectors`, SELECTORS_LIMIT, validateDeviceSelector),
    ...validateMode(request, path),
  ];
}

function validateMode({ allocationMode: mode = '', count = 0 }: Struct, path: string): FieldError[] {
  switch (mode) {
    case 'All':
      return numeric(count) === 0 ? [] : [invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'")];
    case 'ExactCount':
      return numeric(count) > 0 ? [] : [invalid(`${path}.count`, count, 'must be greater than zero')];
    default:
      return [notSupported(`${path}.allocationMode`, mode, ALLOCATION_MODES)];
  }
}

function validateConstraint({ requests, matchAttribute }: Struct, path: string, names: RequestNames): FieldError[] {
  const at = `${path}.matchAttribute`;
  return [
    ...validateRequestReferences(requests, `${path}.requests`, names),
    ...(matchAttribute === undefined ? [required(at)] : validateFullyQualifiedName(matchAttribute, at)),
  ];
}

export function validateRequestReferences(references: readonly string[] | undefined, path: string, names: RequestNames): FieldError[] {
  return validateTexts(references, path, REQUESTS_LIMIT, (name, at) => validateRequestReference(name, at, names));
}

export function validateRequestReference(name: string, path: string, names: RequestNames): FieldError[] {
  return [
    ...validateLabelText(name, path),
    ...(names.has(name) ? [] : [invalid(path, name, 'must be the name of a request in the claim')]),
  ];
}

export function asksForAdminAccess(spec: Struct): boolean {
  return (spec?.devices?.requests ?? []).some((request: Struct) => request.adminAccess !== undefined);
}

/**
 * While the gate of `adminAccess` is off nobody can begin to use it.
 * @param used whether the stored object does already
 */
export function dropAdminAccess(spec: Struct, used: boolean, context: RuleContext): void {
  if (used || context.featureEnabled('DRAAdminAccess')) return;
  for (const request of spec.devices?.requests ?? []) delete request.adminAccess;
}
