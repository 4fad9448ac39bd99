/**
 * Says of each definition of custom resources which of its names are accepted, and establishes those whose names all are.
 * It also says whether a group of the project itself is approved, and whether schemas are structural.
 */
import { authoritiesProblemSlices } from '../../certificates/authorities.ts';
import type { ApiObject } from '../../contract/object.ts';
import { acceptNamesSlices, NO_NAMES, sameNamesSlices, type UsedNames } from '../../custom-resources/accepted-names.ts';
import { outlineOf, outlineOfBorrowed } from '../../custom-resources/stored-definition.ts';
import { inTurns } from '../../event-loop/turns.ts';
import { type Approval, approvalOf } from '../../kinds/apiextensions/approval.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { setOfTexts, type TextSet } from '../../schema/text/text-lists.ts';
import { isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import { announceDefinition } from '../api-services/definition-api-services.ts';
import { type Condition, hasCondition, statusOf, withCondition } from '../conditions/conditions.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import type { ControllerWriter } from '../writes/controller-writer.ts';
import { serverWriter } from '../writes/server-writer.ts';
import { needsSchemas, withStructure } from './structure-condition.ts';

/** Definitions read in one turn: they may have hundreds of kilobytes. */
const SLICE = 8;

/** Definitions whose writes may be under way. */
const WORKERS = 10;

/** What is accepted of it is what is wanted, as a rule: however much that is. */
const NAMES_OF_SPEC = ['/spec/names/shortNames', '/spec/names/categories'];

type Names = typeof NO_NAMES;

/** What is remembered of a definition. */
interface Known {
  readonly group: string;
  readonly accepted: Names;
  readonly isSettled: boolean;
  /** the accepted names of its resource */
  readonly resources: readonly TextSet[];
  /** the accepted names of its kinds */
  readonly kinds: TextSet;
}

/** @returns undefined where definitions are not served */
export function definitionNames(server: ControllerServer): DefinitionNames | undefined {
  const resource = server.registry.current.resource(
    server.identity.text('apiextensions.${groupDomain}'),
    'v1',
    'customresourcedefinitions',
  );
  return resource && new DefinitionNames(server, resource);
}

export class DefinitionNames implements Controller {
  readonly #server: ControllerServer;
  readonly #resource: Resource;
  readonly #prefix: string;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #known = new Map<string, Known>();
  /** ends of what is judged in each group: one after the other, since each may take names from the next */
  readonly #judging = new Map<string, Promise<unknown>>();

  constructor(server: ControllerServer, resource: Resource) {
    this.#server = server;
    this.#resource = resource;
    this.#prefix = storagePrefix(resource, '');
    this.#writer = serverWriter(server);
    this.#queue = new WorkQueue({
      name: 'crd_naming_condition_controller',
      metrics: server.metrics,
      workers: WORKERS,
      process: (name) => this.#process(name),
      failed: (name, error) => server.log.error({ err: error, name }, 'names of a definition could not be accepted; they are tried again'),
    });
  }

  async list(revision: number): Promise<void> {
    this.#known.clear();
    for await (const slice of entrySlices(this.#server.storage, this.#prefix, { size: SLICE, atRevision: revision }))
      for (const outline of Array.from(slice, ({ value }) => outlineOfBorrowed(value))) await this.#listed(await outline);
  }

  async #listed(definition: ApiObject): Promise<void> {
    await this.#remember(definition);
    if (!(await this.#isSettled(definition))) this.#queue.add(definition.metadata.name ?? '');
  }

  changed({ key }: Change): void {
    if (key.startsWith(this.#prefix)) this.#queue.add(key.slice(this.#prefix.length));
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
  }

  async #process(name: string): Promise<void> {
    const definition = await this.#outline(name);
    const before = this.#known.get(name);
    if (definition === undefined) {
      this.#known.delete(name);
      return this.#retryUnsettled(before?.group);
    }
    await this.#remember(definition);
    try {
      if (!(await this.#isSettled(definition))) await this.#settle(name, definition);
    } catch (error) {
      await this.#remember(definition);
      this.#retryUnsettled(definition.spec.group);
      if (!isNotFound(error)) throw error;
    }
    const { accepted } = this.#known.get(name) as Known;
    if (before !== undefined && !(await inTurns(sameNamesSlices(before.accepted, accepted)))) this.#retryUnsettled(before.group);
  }

  #outline(name: string): ApiObject | Promise<ApiObject> | undefined {
    const entry = this.#server.storage.get(storageKey(this.#resource, '', name));
    return entry && outlineOf(new StoredObject(entry.value));
  }

  async #isSettled(definition: ApiObject): Promise<boolean> {
    if (this.#known.get(definition.metadata.name ?? '')?.isSettled !== true) return false;
    return !needsSchemas(definition) && (await inTurns(withEstablishment(this.#approved(definition, 0), 0))) === definition;
  }

  #approved(definition: ApiObject, now: number): ApiObject {
    const approval = approvalOf(definition as ApiObject & { readonly spec: { readonly group: string } }, this.#server.identity);
    return withApproval(definition, approval, now);
  }

  /** One write says both, which names are accepted and that the definition is established. Its APIServices are there by then. */
  async #settle(name: string, definition: ApiObject): Promise<void> {
    const expected = await this.#judged(name, definition);
    if (statusOf(expected, ESTABLISHED_TYPE) === 'True') await announceDefinition(this.#server, this.#writer, expected);
    const object = { resource: this.#resource, namespace: '', name };
    const settled = async (old: ApiObject) => withStructure(await this.#judged(name, old), Date.now());
    await this.#remember(await this.#writer.editStatus(object, settled, NAMES_OF_SPEC));
  }

  /** What it is to say. The names that it is to have are its own from now on, before that is written. */
  async #judged(name: string, old: ApiObject): Promise<ApiObject> {
    const { group } = old.spec;
    const judged = (this.#judging.get(group) ?? Promise.resolve()).then(async () => {
      const made = await inTurns(this.#settledSlices(name, old, Date.now()));
      await this.#remember(made, old.status?.acceptedNames);
      return made;
    });
    const end = judged.catch(() => {});
    this.#judging.set(group, end);
    try {
      return await judged;
    } finally {
      if (this.#judging.get(group) === end) this.#judging.delete(group);
    }
  }

  *#settledSlices(name: string, old: ApiObject, now: number): Generator<void, ApiObject, void> {
    return yield* withEstablishment(yield* withAcceptedNames(this.#approved(old, now), this.#usedBeside(name, old.spec.group), now), now);
  }

  /** @param before names that are its own until others are written */
  async #remember({ metadata, spec, status }: ApiObject, before: Names = NO_NAMES): Promise<void> {
    const accepted: Names = status?.acceptedNames ?? NO_NAMES;
    const all = before === accepted ? [accepted] : [before, accepted];
    this.#known.set(metadata.name ?? '', {
      group: spec.group,
      accepted,
      isSettled: await inTurns(sameNamesSlices(spec.names, accepted)),
      resources: [
        new Set(all.flatMap(({ plural, singular = '' }) => [plural, singular])),
        ...(await Promise.all(all.map(({ shortNames = [] }) => inTurns(setOfTexts(shortNames))))),
      ],
      kinds: new Set(all.flatMap(({ kind, listKind = '' }) => [kind, listKind])),
    });
  }

  /** What all others of the group have, or are to have. */
  #usedBeside(name: string, group: string): UsedNames {
    const all = [...this.#known].filter(([other, known]) => other !== name && known.group === group).map(([, known]) => known);
    return {
      resources: { has: (wanted) => all.some(({ resources }) => resources.some((each) => each.has(wanted))) },
      kinds: { has: (wanted) => all.some(({ kinds }) => kinds.has(wanted)) },
    };
  }

  /** Names that have become free may be what others wait for. */
  #retryUnsettled(group: string | undefined): void {
    for (const [name, known] of this.#known) if (known.group === group && !known.isSettled) this.#queue.add(name);
  }
}

const NAMES_ACCEPTED = 'NamesAccepted';
const ACCEPTED: Condition = { type: NAMES_ACCEPTED, status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
const ESTABLISHED_TYPE = 'Established';
const INITIAL = 'the initial names have been accepted';
const ESTABLISHED: Condition = { type: ESTABLISHED_TYPE, status: 'True', reason: 'InitialNamesAccepted', message: INITIAL };
const INSTALLING: Condition = { type: ESTABLISHED_TYPE, status: 'False', reason: 'Installing', message: INITIAL };
const NOT_ACCEPTED: Condition = {
  type: ESTABLISHED_TYPE,
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

const UNREADABLE: Condition = {
  type: ESTABLISHED_TYPE,
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};

const APPROVAL_REASONS: Readonly<Record<Approval['state'], string>> = {
  missing: 'MissingAnnotation',
  bypassed: 'UnapprovedAnnotation',
  approved: 'ApprovedAnnotation',
  invalid: 'InvalidAnnotation',
};

/** @returns the definition itself where nothing of it changes */
export function withApproval(definition: ApiObject, approval: Approval | undefined, now: number): ApiObject {
  if (approval === undefined) return definition;
  const { state, says } = approval;
  const condition: Condition = {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason: APPROVAL_REASONS[state],
    message: says,
  };
  return hasCondition(definition, condition) ? definition : withCondition(definition, condition, now);
}

/** Whose webhook nobody could believe is not served. @returns the definition itself where nothing of it changes */
export function* withEstablishment(definition: ApiObject, now: number): Generator<void, ApiObject, void> {
  if (!isUnestablished(definition)) return definition;
  const bundle: string = definition.spec.conversion?.webhook?.clientConfig?.caBundle ?? '';
  const isReadable = bundle === '' || (yield* authoritiesProblemSlices(bundle)) === undefined;
  const condition = isReadable ? ESTABLISHED : UNREADABLE;
  return hasCondition(definition, condition) ? definition : withCondition(definition, condition, now);
}

function isUnestablished(definition: ApiObject): boolean {
  return statusOf(definition, NAMES_ACCEPTED) === 'True' && statusOf(definition, ESTABLISHED_TYPE) !== 'True';
}

/** @returns the definition itself where nothing of it changes */
function* withAcceptedNames(definition: ApiObject, used: UsedNames, now: number): Generator<void, ApiObject, void> {
  const before: Names = definition.status?.acceptedNames ?? NO_NAMES;
  const { accepted, conflict } = yield* acceptNamesSlices(definition.spec.names, before, used);
  const condition: Condition = conflict === undefined ? ACCEPTED : { type: NAMES_ACCEPTED, status: 'False', ...conflict };
  if (hasCondition(definition, condition) && (yield* sameNamesSlices(before, accepted))) return definition;
  const named = withCondition({ ...definition, status: { ...definition.status, acceptedNames: accepted } }, condition, now);
  return withCondition(named, establishment(definition, conflict === undefined), now);
}

/** What is established stays so. */
function establishment(definition: ApiObject, areAccepted: boolean): Condition {
  const conditions: readonly Condition[] = definition.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === ESTABLISHED_TYPE) ?? NOT_ACCEPTED;
  return before.status !== 'True' && areAccepted ? INSTALLING : before;
}
