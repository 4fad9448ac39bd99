/**
 * Tells which objects a webhook or a policy wants to see, and of which namespaces, so quickly that a thousand of them which want others cost a request little.
 */
import type { ApiObject } from '../../contract/object.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { compiledSelector, isEmpty, type LabelSelector, type Labels } from '../../selectors/label-selector.ts';
import { newNotFound, type StatusError } from '../../status/status.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

/** An error stands for a namespace that is not there: it counts only where all else matches. */
export type Selected = boolean | StatusError;

/** @param selector of a stored object */
export function isSelectedByNamespace(
  selector: LabelSelector | undefined,
  attributes: AdmissionAttributes,
  objects: Pick<ObjectLookup, 'shared'>,
): Selected {
  const { namespace, resource } = attributes;
  const isNamespaces = resource.data.name === 'namespaces';
  if (selector === undefined || (namespace === '' && !isNamespaces)) return true;
  const held = HeldSelector.of(selector);
  if (held.selectsAll) return true;
  if (isNamespaces && isWritten(attributes)) return held.matches(attributes.object?.metadata?.labels);
  const labels = namespaceLabels(attributes, objects);
  return labels === undefined ? newNotFound(NAMESPACES, namespace) : held.matchesStored(labels);
}

const NAMESPACES = { group: '', resource: 'namespaces' };

/** A namespace that is written has the labels that it is to have. */
const isWritten = ({ operation, subresource }: AdmissionAttributes): boolean =>
  subresource === '' && (operation === 'create' || operation === 'update');

const NO_LABELS: Labels = {};
/** The labels of the namespaces of requests; null for a namespace that does not exist. */
const LABELS = new WeakMap<AdmissionAttributes, Labels | null>();

/** Returns the labels of a request's namespace, which are looked up once for each phase; undefined if it does not exist. */
function namespaceLabels(attributes: AdmissionAttributes, objects: Pick<ObjectLookup, 'shared'>): Labels | undefined {
  const known = LABELS.get(attributes);
  if (known !== undefined) return known ?? undefined;
  const found = objects.shared('namespaces', '', attributes.namespace);
  const labels = found && (found.metadata.labels ?? NO_LABELS);
  LABELS.set(attributes, labels ?? null);
  return labels;
}

/** Tells whether a selector selects the object as it was or as it will be. @param selector part of a stored object, which nobody changes */
export function isSelectedByObject(selector: LabelSelector | undefined, { object, old }: AdmissionAttributes): boolean {
  if (selector === undefined) return true;
  const held = HeldSelector.of(selector);
  return held.selectsAll || selects(held, object) || selects(held, old);
}

/** Options of a connection have no metadata. */
const selects = (held: HeldSelector, object: ApiObject | undefined): boolean =>
  object?.metadata !== undefined && held.matches(object.metadata.labels);

/** A selector that every request is held against. */
class HeldSelector {
  readonly selectsAll: boolean;
  readonly matches: (labels: Labels | undefined) => boolean;
  /** the result for the last labels */
  #last: { readonly labels: Labels; readonly isMatch: boolean } | undefined;

  private constructor(selector: LabelSelector) {
    this.selectsAll = isEmpty(selector);
    this.matches = compiledSelector(selector);
  }

  static of(selector: LabelSelector): HeldSelector {
    let held = HELD.get(selector);
    if (held === undefined) {
      held = new HeldSelector(selector);
      HELD.set(selector, held);
    }
    return held;
  }

  /** Does the same as `matches`, and remembers the result. @param labels must not be changed by anybody */
  matchesStored(labels: Labels): boolean {
    if (this.#last?.labels !== labels) this.#last = { labels, isMatch: this.matches(labels) };
    return this.#last.isMatch;
  }
}

const HELD = new WeakMap<LabelSelector, HeldSelector>();
