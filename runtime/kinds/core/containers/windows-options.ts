/** Containers that run as processes of a Windows node. */
import type { PodSpec, WindowsSecurityContextOptions } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../../contract/field-error.ts';
import { NONE } from '../../../validation/joined.ts';
import { containersOf, someContainer } from './containers.ts';

interface WithOptions {
  readonly securityContext?: { readonly windowsOptions?: WindowsSecurityContextOptions };
}

const optionsOf = ({ securityContext }: WithOptions): WindowsSecurityContextOptions | undefined => securityContext?.windowsOptions;

const hasOptions = (holder: WithOptions): boolean => optionsOf(holder) !== undefined;

/** All containers of a pod are processes of the node, or none is. */
export function hostProcesses(spec: PodSpec): readonly FieldError[] {
  const ofPod = optionsOf(spec)?.hostProcess;
  if (ofPod === undefined && !someContainer(spec, hasOptions)) return NONE;
  const containers = containersOf(spec, '').map(({ container, path }) => ({ path, own: optionsOf(container)?.hostProcess }));
  const errors = containers
    .filter(({ own }) => ofPod !== undefined && own !== undefined && own !== ofPod)
    .map(({ path, own }) => {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      return invalid(`${path}.securityContext.windowsOptions.hostProcess`, own, detail);
    });
  const count = containers.filter(({ own }) => own ?? ofPod).length;
  if (count === 0) return errors;
  if (count !== containers.length)
    errors.push(invalid('', '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
  if (spec.hostNetwork !== true)
    errors.push(invalid('.hostNetwork', false, 'hostNetwork must be true if pod contains any hostProcess containers'));
  return errors;
}
