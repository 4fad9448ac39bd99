/** Tells which pods of a namespace break what it is to enforce from now on: many in few words, and never for long. */
import type { ApiObject } from '../../contract/object.ts';
import type { RequestContext } from '../../contract/request-context.ts';
import { goQuote } from '../../go-text/quote.ts';
import type { ObjectLookup } from '../../registry/stored-objects/object-lookup.ts';
import { StatusError } from '../../status/status.ts';
import { type Evaluation, reasonsOf } from './evaluation.ts';
import { type LevelVersion, textOf } from './policy.ts';

/** As in 1.32. */
const MOST_PODS = 3_000;
const MOST_MILLISECONDS = 1_000;

export interface ExistingPodsParts {
  readonly objects: Pick<ObjectLookup, 'inPieces' | 'count'>;
  readonly evaluation: Evaluation;
  readonly exemptRuntimeClasses: ReadonlySet<string>;
  /** by the clock of the request's deadline */
  readonly now: () => number;
}

interface JudgedPod {
  readonly name: string;
  /** '' for one that breaks nothing */
  readonly reasons: string;
}

/** @returns warnings. @throws StatusError where the request's time is over */
export async function warningsOfPods(
  namespace: string,
  enforce: LevelVersion,
  request: Pick<RequestContext, 'throwIfOver' | 'deadline'>,
  parts: ExistingPodsParts,
): Promise<string[]> {
  let judged: readonly JudgedPod[];
  let total: number;
  try {
    ({ judged, total } = await judgedPods(namespace, enforce, request, parts));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    return ['failed to list pods while checking new PodSecurity enforce level'];
  }
  const told = aggregated(judged);
  return [
    ...(judged.length < total
      ? [`new PodSecurity enforce level only checked against the first ${judged.length} of ${total} existing pods`]
      : []),
    ...(told.length > 0
      ? [`existing pods in namespace ${goQuote(namespace)} violate the new PodSecurity enforce level ${goQuote(textOf(enforce))}`]
      : []),
    ...told,
  ];
}

/** One of each controller comes before the others of it, so that many copies do not hide what else there is. */
async function judgedPods(
  namespace: string,
  enforce: LevelVersion,
  request: Pick<RequestContext, 'throwIfOver' | 'deadline'>,
  { objects, evaluation, exemptRuntimeClasses, now }: ExistingPodsParts,
): Promise<{ judged: JudgedPod[]; total: number }> {
  const start = now();
  // half of what is left of the request's time is for what else it needs
  const until = start + Math.min(MOST_MILLISECONDS, ((request.deadline ?? Number.POSITIVE_INFINITY) - start) / 2);
  const [first, copies]: [JudgedPod[], JudgedPod[]] = [[], []];
  const controllers = new Set<string>();
  let [seen, exempt] = [0, 0];
  for await (const pods of objects.inPieces('pods', namespace, ['spec'])) {
    request.throwIfOver();
    for (const pod of pods) {
      seen++;
      if (exemptRuntimeClasses.has(pod.spec?.runtimeClassName ?? '')) {
        exempt++;
        continue;
      }
      const controller = controllerOf(pod);
      const list = controller !== undefined && controllers.has(controller) ? copies : first;
      if (controller !== undefined) controllers.add(controller);
      if (list.length < MOST_PODS)
        list.push({ name: pod.metadata.name as string, reasons: reasonsOf(evaluation.violations(pod, enforce)) });
    }
    if (now() >= until) break;
  }
  const judged = [...first, ...copies].slice(0, MOST_PODS);
  const isWhole = now() < until;
  return { judged, total: (isWhole ? seen : Math.max(seen, objects.count('pods', namespace))) - exempt };
}

const controllerOf = ({ metadata }: ApiObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

/** Pods that break the same rules are told of together, by the first name. */
function aggregated(pods: readonly JudgedPod[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, reasons } of pods) {
    if (reasons === '') continue;
    const others = names.get(reasons);
    if (others === undefined) names.set(reasons, [name]);
    else others.push(name);
  }
  return [...names].map(([reasons, of]) => `${withOthers(of)}: ${reasons}`).sort();
}

function withOthers(names: readonly string[]): string {
  const first = names.reduce((least, name) => (name < least ? name : least));
  if (names.length === 1) return first;
  return `${first} (and ${names.length - 1} other ${names.length === 2 ? 'pod' : 'pods'})`;
}
