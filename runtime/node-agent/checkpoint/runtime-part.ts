/** The part of the agent that talks to the container runtime: its readiness, the pods that it has, checkpoints of their containers. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { ContainerRuntime } from '../container-runtime/container-runtime.ts';
import { runtimeSocket } from '../container-runtime/runtime-endpoint.ts';
import { RuntimeHealth } from '../container-runtime/runtime-health.ts';
import { milliseconds } from '../contract/durations.ts';
import type { AgentContext, AgentPart } from '../contract/part.ts';
import { ArchiveFolder } from './archive-folder.ts';
import { checkpointRoute } from './checkpoint-route.ts';
import { podsRoute } from './pods-route.ts';

const GATE = 'ContainerCheckpoint';

/** @throws Error if the address of the runtime is invalid, or the folder of archives cannot be made */
export async function startRuntimePart({
  configuration,
  isGiven,
  rootDirectory,
  nodeName,
  featureEnabled,
  log,
}: AgentContext): Promise<AgentPart> {
  const socket = runtimeSocket(configuration.containerRuntimeEndpoint);
  const runtime = new ContainerRuntime(socket, milliseconds(configuration.runtimeRequestTimeout));
  const isRequired = isGiven('containerRuntimeEndpoint') || existsSync(socket);
  const health = new RuntimeHealth({ runtime, log, isRequired });
  const folder = new ArchiveFolder(path.join(rootDirectory, 'checkpoints'));
  await folder.prepare();
  health.start();
  const checkpoints = checkpointRoute({
    runtime,
    folder,
    isEnabled: () => featureEnabled(GATE),
    note: (archive) => log.info(archive, 'a container was checkpointed'),
  });
  return {
    routes: [checkpoints, podsRoute(runtime, nodeName)],
    runtime: health,
    stop: async () => {
      await health.stop();
      runtime.close();
    },
  };
}
