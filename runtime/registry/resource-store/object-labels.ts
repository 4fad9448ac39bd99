/** Labels that the server sets by itself. */
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isNotFound } from '../../status/status.ts';
import type { FieldManagers } from './field-managers.ts';
import type { ResourceStore } from './resource-store.ts';

/** Nothing happens to an object that is gone. @throws StatusError */
export async function labelObject(
  store: ResourceStore,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  labels: Readonly<Record<string, string>>,
  { context, fieldManagers }: { readonly context: RuleContext; readonly fieldManagers: FieldManagers },
): Promise<void> {
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    const object = { ...old, metadata: { ...old.metadata, labels: { ...old.metadata.labels, ...labels } } };
    await fieldManagers.ownedByServer(store, old, object);
    return object;
  };
  try {
    await store.update(namespace, name, produce, { target: 'object', context, admit: async () => {}, retry: true });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
