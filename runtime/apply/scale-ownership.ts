/**
 * Translates owners of a parent's number of replicas to owners of the Scale that shows it, and back. Their other fields of the parent stay.
 */
import { difference, hasPath, isEmptySet, setOfPath } from './field-set.ts';
import { type Manager, type Managers, owning } from './managers.ts';

const SCALE_REPLICAS = ['f:spec', 'f:replicas'];

export interface ScaleVersions {
  /** apiVersion of Scale */
  readonly scale: string;
  /** apiVersion of the parent in the path of the request */
  readonly parent: string;
  /** path elements of the number of replicas, by served version of the parent */
  readonly replicas: ReadonlyMap<string, readonly string[]>;
}

export function scaleManagers(parent: Managers, { scale, replicas }: ScaleVersions): Managers {
  const managers: [string, Manager][] = [];
  for (const [key, manager] of parent) {
    const path = replicas.get(manager.apiVersion);
    if (path !== undefined && hasPath(manager.fields, path))
      managers.push([key, { ...owning(manager, setOfPath(SCALE_REPLICAS)), apiVersion: scale }]);
  }
  return new Map(managers);
}

/**
 * @param parent the former owners
 * @param scale owners of the Scale after its change
 * @returns the owners of the parent; those of versions that are not served are left out, and new owners of the number have no time
 */
export function parentManagers(parent: Managers, scale: Managers, versions: ScaleVersions): Managers {
  // As in 1.32, an owner of more than the number may now have two entries, because it owned the Scale in another version.
  const left = new Map<string, Manager>();
  const kept = new Set<string>();
  for (const [key, manager] of parent) {
    const path = versions.replicas.get(manager.apiVersion);
    if (path === undefined) continue;
    const owns = hasPath(manager.fields, path);
    if (owns && scale.has(key)) kept.add(key);
    const fields = owns && !scale.has(key) ? difference(manager.fields, setOfPath(path)) : manager.fields;
    if (!isEmptySet(fields)) left.set(key, fields === manager.fields ? manager : owning(manager, fields));
  }
  const path = versions.replicas.get(versions.parent) ?? [];
  for (const [key, manager] of scale) {
    if (kept.has(key) || path.length === 0 || !hasPath(manager.fields, SCALE_REPLICAS)) continue;
    left.set(key, { ...owning(manager, setOfPath(path)), apiVersion: versions.parent, time: parent.get(key)?.time });
  }
  return left;
}
