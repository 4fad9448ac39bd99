/** Resources of a pod as a whole (KEP-2837), and how its containers may be resized (KEP-1287): what holds where nobody says so, and what fits. */
import type { Container, PodSpec, ResourceRequirements } from '../../../../generated/core/v1/types.ts';
import { type FieldError, forbidden, invalid } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { type Amounts, amountsOf, amountText, listOf, only } from '../../../schema/scalar/amounts.ts';
import { foundInEach, joined, NONE } from '../../../validation/joined.ts';
import { atPath } from '../../findings.ts';
import { namedAmounts, claims as validateClaims } from '../resource-amounts/container-resources.ts';
import { compare } from '../resource-amounts/quantities.ts';
import { COMPUTE, ofPod } from '../resource-amounts/resource-names.ts';
import { podAmounts } from './pod-amounts.ts';

/** @param spec of a pod: templates of pods have no such defaults */
export function defaultResources(spec: PodSpec | undefined, { featureEnabled }: Pick<RuleContext, 'featureEnabled'>): void {
  if (featureEnabled('InPlacePodVerticalScaling')) for (const container of spec?.containers ?? []) nameResizePolicies(container);
  if (spec !== undefined && featureEnabled('PodLevelResources')) requestForAll(spec);
}

/** What a container requests is resized while it runs. */
function nameResizePolicies(container: Container): void {
  const { resources: { requests = {} } = {}, resizePolicy = [] } = container;
  const isOpen = (name: string): boolean =>
    Object.hasOwn(requests, name) && resizePolicy.every(({ resourceName }) => resourceName !== name);
  const added = COMPUTE.filter(isOpen).map((resourceName) => ({ resourceName, restartPolicy: 'NotRequired' }));
  if (added.length > 0) container.resizePolicy = [...resizePolicy, ...added];
}

/** Where a pod has limits, it requests what its containers do together, or as much as it may have. */
function requestForAll(spec: PodSpec): void {
  const { resources: whole } = spec;
  const most = amountsOf(whole?.limits);
  if (whole === undefined || most.size === 0) return;
  const all = new Map([...computeOf(most), ...computeOf(podAmounts(spec, 'requests')), ...amountsOf(whole.requests)]);
  if (all.size > 0) whole.requests = listOf(all);
}

const computeOf = (amounts: Amounts): Amounts => only(amounts, (name) => COMPUTE.includes(name));

/** The containers together may not request more than the pod does, and none of them may have more. */
export function resources(
  whole: ResourceRequirements,
  _old: unknown,
  context: RuleContext,
  { spec }: { readonly spec: PodSpec },
): readonly FieldError[] {
  const { limits = {}, requests = {}, claims } = whole;
  return joined<FieldError>(
    claims === undefined ? NONE : [forbidden('.claims', 'claims cannot be set for Resources at pod-level')],
    namedAmounts(whole, context, ofPod),
    claims === undefined ? NONE : atPath(validateClaims(claims, undefined, context, { spec }), '.claims'),
    foundInEach([...podAmounts(spec, 'requests')], ([name, amount]) => {
      const [all, request = '0'] = [amountText(amount), requests[name]];
      const detail = `must be greater than or equal to aggregate container requests of ${all}`;
      return compare(all, request) > 0 ? [invalid(`.requests[${name}]`, request, detail)] : NONE;
    }),
    foundInEach(spec.containers, (container, index) =>
      foundInEach(Object.entries(container.resources?.limits ?? {}), ([name, limit]) => {
        const most = limits[name];
        if (most === undefined || compare(limit, most) <= 0) return NONE;
        return [invalid(`.containers[${index}][${name}].limits`, limit, `must be less than or equal to pod limits of ${most}`)];
      }),
    ),
  );
}
