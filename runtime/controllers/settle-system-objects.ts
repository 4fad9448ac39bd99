/** What controllers write into objects of the system behind every first start, done at once: for a store that servers begin with. */

import { apiServiceAvailability } from './api-services/api-service-availability.ts';
import type { ControllerName } from './chosen-controllers.ts';
import { ClusterRoleAggregation } from './cluster-role-aggregation.ts';
import type { ControllerServer } from './controller/controller-server.ts';
import { flowSchemaLevels } from './flow-schema-levels.ts';

/** Resolves when they would leave everything as it is. @param chosen those that would run */
export async function settleSystemObjects(server: ControllerServer, chosen: readonly ControllerName[]): Promise<void> {
  const controllers = [
    flowSchemaLevels(server),
    apiServiceAvailability(server),
    chosen.includes('clusterrole-aggregation') ? new ClusterRoleAggregation(server) : undefined,
  ].filter((each) => each !== undefined);
  const { storage } = server;
  for (let before = -1; before < storage.currentRevision(); ) {
    before = storage.currentRevision();
    for (const controller of controllers) {
      await controller.list();
      await controller.settled();
    }
  }
  await Promise.all(controllers.map((controller) => controller.stop()));
}
