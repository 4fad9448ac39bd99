/** What a server does for the objects that it keeps itself: makes them at its start, and looks after them. */
import type { Identity } from '../contract/identity.ts';
import { apiServiceResource, isOutdated, localApiServices } from './api-services.ts';
import { deleteObjects, ensureObjects } from './ensure.ts';
import { flowControlObjects } from './flow-control.ts';
import { type Keeping, repairObjects } from './keep.ts';
import { systemNamespaces } from './namespaces.ts';
import { systemPriorityClasses } from './priority-classes.ts';

/** Milliseconds after which objects that no cluster does without are looked after again, as in 1.32. */
const INTERVAL = 60_000;

/** The parts of a server that are needed. */
export interface Starting extends Keeping {
  readonly identity: Identity;
}

/** @throws Error where namespaces are not served: nothing works without them */
export async function ensureSystemNamespaces(server: Starting): Promise<void> {
  if (server.registry.current.resource('', 'v1', 'namespaces') === undefined) throw new Error('--runtime-config: v1 must be served');
  await ensureObjects(server, systemNamespaces(server.identity));
}

/** Makes and repairs the objects of the system, once; namespaces aside. */
export async function makeSystemObjects(server: Starting): Promise<void> {
  const { identity, registry } = server;
  const apiServices = localApiServices(identity, registry.current.groupVersions);
  await ensureObjects(server, [...systemPriorityClasses(identity), ...flowControlObjects(identity), ...apiServices]);
  const { group, version, name } = apiServiceResource(identity);
  const services = registry.current.resource(group, version, name);
  if (services !== undefined) await deleteObjects(server, services, isOutdated(identity, apiServices));
}

/** Priority classes are made at the start alone, as in 1.32. @returns stops looking after the others, and waits for what is under way */
export function lookAfterSystemObjects(server: Starting, interval: number = INTERVAL): () => Promise<void> {
  const { identity, registry } = server;
  const objects = () => [
    ...systemNamespaces(identity),
    ...flowControlObjects(identity),
    // as in 1.32 only a start brings them into line: who has a group version moved to another server wants it there
    ...localApiServices(identity, registry.current.groupVersions).map(({ repair: _, ...unrepaired }) => unrepaired),
  ];
  return repairObjects(server, { objects, interval, basis: () => registry.current });
}
