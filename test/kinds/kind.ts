/** Kinds as the server has them: generated data and hand-written rules together. */
import type { AnyKindRules } from '../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import type { Kind } from '../../runtime/registry/kinds/kind.ts';
import type { Resource } from '../../runtime/registry/resources/resource.ts';
import { changeErrors, objectErrors, statusErrors } from '../../runtime/validation/kind-errors.ts';
import { builtInRegistry } from '../harness/built-in-registry.ts';
import { identity } from './context.ts';

const registry = builtInRegistry(identity);

/**
 * A kind whose rules also find what its schema constrains, as writes do.
 * @param apiVersion in the dialect `kubernetes`
 */
export async function loadKind(apiVersion: string, kind: string): Promise<Kind> {
  const slash = apiVersion.indexOf('/');
  return withConstraints(await registry.current.kind(slash === -1 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1), kind));
}

const known = new Map<Kind, AnyKindRules>();

function withConstraints(kind: Kind): Kind {
  if (known.has(kind)) return kind;
  const own = { data: kind.data, rules: kind.rules };
  known.set(kind, kind.rules);
  const rules: AnyKindRules = {
    ...kind.rules,
    validate: (object, context, old) => objectErrors(own, object, old, context),
    validateUpdate: (object, old, context) => changeErrors(own, object, old, context),
    validateStatusUpdate: (object, old, context) => statusErrors(own, object, old, context),
  };
  return Object.assign(kind, { rules });
}

/** The row of an object in a table. @param object of the stored version. @param now milliseconds since 1970 */
export async function rowOf(object: ApiObject, now: number): Promise<unknown[]> {
  const { table } = await loadKind(object.apiVersion, object.kind);
  return table.cells(object, now);
}

/** A resource of a served version, with the hub of its kind. @param group in the dialect `kubernetes` */
export async function loadResource(group: string, version: string, name: string): Promise<{ resource: Resource; hub: Kind }> {
  const resource = registry.current.resource(group, version, name);
  if (resource === undefined) throw new Error(`no resource ${name} in version ${version} of group "${group}"`);
  const { storage } = resource.data;
  const hub =
    storage === undefined
      ? registry.current.kind(group, version, resource.data.kind)
      : registry.current.kind(storage.group, storage.version, storage.kind);
  return { resource, hub: await hub };
}
