/** `GET /pods`: the pods of the node, as its runtime has them. */
import type { ContainerRuntime } from '../container-runtime/container-runtime.ts';
import { runtimePods } from '../container-runtime/runtime-pods.ts';
import { AgentProblem, type AgentRoute, jsonAnswer } from '../contract/part.ts';

export function podsRoute(runtime: ContainerRuntime, nodeName: string): AgentRoute {
  return {
    method: 'GET',
    path: '/pods',
    subresource: 'pods',
    handle: async ({ signal }) => {
      try {
        return jsonAnswer(await runtimePods(runtime, nodeName, signal));
      } catch (error) {
        throw new AgentProblem(500, `the container runtime does not say what pods there are: ${(error as Error).message}`);
      }
    },
  };
}
