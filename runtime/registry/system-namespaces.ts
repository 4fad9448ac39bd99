import type { RuleContext } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { StatusError } from '../status/status.ts';
import type { ResourceStore } from './resource-store.ts';

const SYSTEM_NAMESPACES = ['default', '${systemNamespace}', '${publicNamespace}', '${leaseNamespace}'];

/** Makes the namespaces that every cluster has, where they are missing. */
export async function createSystemNamespaces(store: ResourceStore, context: RuleContext): Promise<void> {
  await Promise.all(
    SYSTEM_NAMESPACES.map(async (template) => {
      const name = context.text(template);
      if (store.entry('', name) !== undefined) return;
      const object = store.hub.decode({ metadata: { name } }).object as ApiObject;
      try {
        await store.create(object, context, async () => {});
      } catch (error) {
        // Another process that started at the same time was faster.
        if (!(error instanceof StatusError) || error.status.reason !== 'AlreadyExists') throw error;
      }
    }),
  );
}
