/** The routes of the agent itself: its health, its metrics and its configuration. */
import type { Identity } from '../../contract/identity.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { AgentConfiguration } from '../configuration/read-configuration.ts';
import { type AgentRoute, jsonAnswer, textAnswer } from '../contract/part.ts';
import type { KernelRequirement } from '../node/kernel-requirements.ts';

export interface OwnRoutesParts {
  readonly read: AgentConfiguration;
  readonly identity: Identity;
  readonly metrics: Metrics;
  readonly requirements: readonly KernelRequirement[];
}

export function ownRoutes({ read, identity, metrics, requirements }: OwnRoutesParts): AgentRoute[] {
  const { apiVersion: _, kind: __, ...configuration } = read.configuration;
  return [
    { method: 'GET', path: '/healthz', isExact: true, subresource: 'healthz', handle: async () => textAnswer('ok') },
    {
      method: 'GET',
      path: '/metrics',
      isExact: true,
      subresource: 'metrics',
      handle: async () => ({ status: 200, ...(await metrics.text()) }),
    },
    {
      method: 'GET',
      path: '/configz',
      isExact: true,
      subresource: 'configz',
      // the configuration has the name that 1.32 gives it (`kubeletconfig`); what the configuration needs of the kernel is an addition of this agent
      handle: async () =>
        jsonAnswer({ [`${identity.text('${nodeAgent}').replace('-', '')}config`]: configuration, kernelRequirements: requirements }),
    },
  ];
}
