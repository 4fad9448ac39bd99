/** The part of the agent that device plugins register with. */
import path from 'node:path';
import type { AgentContext, AgentPart } from '../contract/part.ts';
import { DevicePlugins } from './device-plugins.ts';

/** @throws Error where the socket cannot be made */
export async function startDevicePlugins({ rootDirectory, identity, log }: AgentContext): Promise<AgentPart> {
  const plugins = new DevicePlugins({
    folder: path.join(rootDirectory, 'device-plugins'),
    socket: identity.text('${nodeAgent}.sock'),
    labelDomain: identity.text('${labelDomain}'),
    log,
  });
  await plugins.start();
  return { resources: plugins, stop: () => plugins.stop() };
}
