/** What the disruption budget of a pod says to its eviction, and how an eviction is charged to it. */
import type { ApiObject } from '../../../contract/object.ts';
import type { ResourceStore } from '../../../registry/resource-store/resource-store.ts';
import { timestamp } from '../../../registry/resource-store/strategy.ts';
import { copyValue } from '../../../schema/copy.ts';
import { isUsable, matches } from '../../../selectors/label-selector.ts';
import { newForbidden, STATUS_CODES, StatusError } from '../../../status/status.ts';
import { prefixEnd } from '../../../storage/storage.ts';
import type { ResourceRequest } from '../../resource-request.ts';
import type { ResourceServer } from '../../resource-server.ts';

/** Pods at most whose eviction is granted while the controller has not yet seen them go. */
const MAX_DISRUPTED_PODS = 2000;
const RETRY_AFTER_SECONDS = 10;
const NAMED = { group: 'policy', resource: 'poddisruptionbudget' };

async function budgetStore({ registry, store }: Pick<ResourceServer, 'registry' | 'store'>): Promise<ResourceStore> {
  const budgets = registry.current.resourceOfForm('policy', 'v1', 'poddisruptionbudgets');
  if (budgets === undefined) throw new Error('disruption budgets are not served');
  return store(budgets);
}

/** Returns the disruption budgets in a pod's namespace that select the pod. */
export async function budgetsOf(
  server: Pick<ResourceServer, 'registry' | 'store' | 'storage'>,
  { metadata }: ApiObject,
): Promise<ApiObject[]> {
  const store = await budgetStore(server);
  const start = store.prefix(metadata.namespace as string);
  const budgets: ApiObject[] = [];
  for (const entry of server.storage.range({ start, end: prefixEnd(start) })) {
    const budget = store.decodeEntry(entry);
    const selector = budget.spec?.selector;
    if (isUsable(selector) && matches(selector, metadata.labels)) budgets.push(budget);
  }
  return budgets;
}

/** Whether the budget lets a pod go that is not ready, without charge. */
export function isEvictableUnhealthy({ status }: ApiObject, budget: ApiObject): boolean {
  const conditions: readonly ApiObject[] = status?.conditions ?? [];
  if (conditions.find(({ type }) => type === 'Ready')?.status === 'True') return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** Charges one pod to the budget. A dry run only asks. @throws StatusError TooManyRequests, Forbidden, NotFound, Conflict */
export async function takeDisruption({ server, client }: ResourceRequest, budget: ApiObject, pod: string, dryRun: boolean): Promise<void> {
  const store = await budgetStore(server);
  const context = server.ruleContext(dryRun, client);
  await store.update(
    budget.metadata.namespace as string,
    budget.metadata.name as string,
    (old) => charged(old, pod, timestamp(context.now())),
    { target: 'status', context, admit: async () => {}, retry: true },
  );
}

function charged(old: ApiObject, pod: string, now: string): ApiObject {
  refuse(old);
  const budget = copyValue(old);
  const { status } = budget;
  status.disruptionsAllowed -= 1;
  status.disruptedPods = { ...status.disruptedPods, [pod]: now };
  if (status.disruptionsAllowed === 0) status.conditions = withoutRoom(status, now);
  return budget;
}

function refuse(budget: ApiObject): void {
  const {
    observedGeneration = 0,
    disruptionsAllowed = 0,
    disruptedPods = {},
    desiredHealthy = 0,
    currentHealthy = 0,
  } = budget.status ?? {};
  const name = budget.metadata.name as string;
  if (observedGeneration < (budget.metadata.generation ?? 0)) throw stillProcessed(budget);
  if (disruptionsAllowed < 0) throw newForbidden(NAMED, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS)
    throw newForbidden(NAMED, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (disruptionsAllowed === 0)
    throw wouldViolate(`The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`);
}

/** The controller has not seen the budget, or the pod has changed meanwhile: to be tried again. */
export function stillProcessed(budget: ApiObject): StatusError {
  return wouldViolate(`The disruption budget ${budget.metadata.name} is still being processed by the server.`, RETRY_AFTER_SECONDS);
}

function wouldViolate(message: string, retryAfterSeconds?: number): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: { causes: [{ reason: 'DisruptionBudget', message }], ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
    code: STATUS_CODES.TooManyRequests,
  });
}

const DISRUPTION_ALLOWED = 'DisruptionAllowed';

/** @returns the conditions, with the one that says that nothing more may be evicted */
function withoutRoom(status: ApiObject['status'], now: string): ApiObject[] {
  const conditions: ApiObject[] = status.conditions ?? [];
  const present = conditions.findIndex(({ type }) => type === DISRUPTION_ALLOWED);
  const condition = {
    type: DISRUPTION_ALLOWED,
    status: 'False',
    ...(status.observedGeneration && { observedGeneration: status.observedGeneration }),
    lastTransitionTime: conditions[present]?.status === 'False' ? conditions[present]?.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  } as unknown as ApiObject;
  return present === -1 ? [...conditions, condition] : conditions.map((other, index) => (index === present ? condition : other));
}
