/** What a server does for the objects that it keeps itself: makes them at its start, looks after them, and writes their conditions. */

import type { ApiObject } from '../contract/object.ts';
import { availability, type ReadObject } from '../controllers/api-service-availability.ts';
import { ChangeSignal } from '../controllers/change-signal.ts';
import { type Condition, ensureCondition, hasCondition } from '../controllers/conditions.ts';
import { danglingCondition } from '../controllers/flow-schema-levels.ts';
import { storedCollection } from '../controllers/stored-collection.ts';
import type { ApiServer } from '../endpoints/api-server.ts';
import type { Resource } from '../registry/registry.ts';
import { StoredObject } from '../registry/stored-object.ts';
import { apiServiceResource, isOutdated, localApiServices } from './api-services.ts';
import { deleteObjects, ensureObjects } from './ensure.ts';
import { flowControlObjects } from './flow-control.ts';
import { systemNamespaces } from './namespaces.ts';
import { systemPriorityClasses } from './priority-classes.ts';

/** Milliseconds after which levels and schemas of flow control are looked after again, as in 1.32. */
const FLOW_CONTROL_INTERVAL = 60_000;

/** @throws Error where namespaces are not served: nothing works without them */
export async function ensureSystemNamespaces(server: ApiServer): Promise<void> {
  if (server.registry.resource('', 'v1', 'namespaces') === undefined) throw new Error('--runtime-config: v1 must be served');
  await ensureObjects(server, systemNamespaces(server.identity));
}

/** @returns stops what goes on; waits for what is under way */
export async function startSystemObjects(server: ApiServer): Promise<() => Promise<void>> {
  const { identity, registry } = server;
  const flowControl = flowControlObjects(identity);
  const apiServices = localApiServices(identity, registry.groupVersions);
  await ensureObjects(server, [...systemPriorityClasses(identity), ...flowControl, ...apiServices]);
  const services = resourceOf(server, apiServiceResource(identity));
  if (services !== undefined) await deleteObjects(server, services, isOutdated(identity, apiServices));
  const repairing = setInterval(() => {
    ensureObjects(server, flowControl).catch((error) => server.log.error({ err: error }, 'objects of flow control could not be repaired'));
  }, FLOW_CONTROL_INTERVAL);
  repairing.unref();
  const signals = [flowSchemaConditions(server), apiServiceConditions(server)].filter((signal) => signal !== undefined);
  for (const signal of signals) signal.start();
  return async () => {
    clearInterval(repairing);
    await Promise.all(signals.map((signal) => signal.stop()));
  };
}

function resourceOf({ registry }: ApiServer, { group, version, name }: { group: string; version: string; name: string }) {
  return registry.resource(group, version, name);
}

function prefixOf({ data }: Resource): string {
  return `${data.storage?.prefix}/`;
}

function flowSchemaConditions(server: ApiServer): ChangeSignal | undefined {
  const of = { group: server.identity.text('flowcontrol.apiserver.${groupDomain}'), version: 'v1' };
  const schemas = resourceOf(server, { ...of, name: 'flowschemas' });
  const levels = resourceOf(server, { ...of, name: 'prioritylevelconfigurations' });
  if (schemas === undefined || levels === undefined) return undefined;
  return conditionSignal(server, schemas, [prefixOf(levels)], () => {
    const names = new Set(storedCollection(server.storage, prefixOf(levels)).map(({ metadata }) => metadata.name ?? ''));
    return (schema) => danglingCondition(schema, names);
  });
}

function apiServiceConditions(server: ApiServer): ChangeSignal | undefined {
  const apiServices = resourceOf(server, apiServiceResource(server.identity));
  const services = resourceOf(server, { group: '', version: 'v1', name: 'services' });
  const endpoints = resourceOf(server, { group: '', version: 'v1', name: 'endpoints' });
  if (apiServices === undefined || services === undefined || endpoints === undefined) return undefined;
  const prefixes = { services: prefixOf(services), endpoints: prefixOf(endpoints) };
  const read: ReadObject = (resource, namespace, name) => {
    const entry = server.storage.get(`${prefixes[resource]}${namespace}/${name}`);
    return entry && (new StoredObject(entry.value).parse() as ApiObject);
  };
  return conditionSignal(server, apiServices, Object.values(prefixes), () => (object) => availability(object, read));
}

/**
 * Keeps one condition of all objects of a resource.
 * @param others prefixes of what else the condition depends on
 * @param conditions called for each round
 */
function conditionSignal(
  server: ApiServer,
  resource: Resource,
  others: readonly string[],
  conditions: () => (object: ApiObject) => Condition | undefined,
): ChangeSignal {
  const { storage, log } = server;
  const prefix = prefixOf(resource);
  return new ChangeSignal({
    storage,
    prefixes: [prefix, ...others],
    changed: async () => {
      const conditionOf = conditions();
      const outdated = storedCollection(storage, prefix).flatMap((object) => {
        const condition = conditionOf(object);
        return condition === undefined || hasCondition(object, condition) ? [] : [{ object, condition }];
      });
      if (outdated.length === 0) return;
      const store = await server.store(resource);
      const context = server.ruleContext(false);
      await Promise.all(outdated.map(({ object, condition }) => ensureCondition(store, object, condition, context)));
    },
    failed: (error) => log.error({ err: error }, `conditions of ${resource.data.name} could not be written`),
  });
}
