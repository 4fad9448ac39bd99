/** Annotations of nodes that said what taints say now; 1.32 still looks at them. */
import type { Node } from '../../../../generated/core/v1/types.ts';
import { type FieldError, invalid, required } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { parseJson } from '../../../schema/json/json-text.ts';
import { joined, NONE } from '../../../validation/joined.ts';
import { eachItem } from '../../findings.ts';
import { type ElementType, listOf } from '../json-annotation.ts';
import { validateTaints } from '../scheduling/scheduling.ts';

const TAINTS = 'scheduler.alpha.${labelDomain}/taints';
const AVOID = 'scheduler.alpha.${labelDomain}/preferAvoidPods';
const PATH = '.metadata.annotations';
const TAINT: ElementType = { name: 'Taint', members: { key: 'string', value: 'string', effect: 'string', timeAdded: 'string' } };

/** Pods that the node would rather not have, by what makes them. */
interface AvoidPods {
  readonly preferAvoidPods?: readonly AvoidedPod[] | null;
}

interface AvoidedPod {
  readonly podSignature?: { readonly podController?: { readonly controller?: unknown } | null } | null;
}

export function annotations({ metadata }: Node, _old: unknown, { text }: RuleContext): readonly FieldError[] {
  const all = metadata.annotations;
  if (all === undefined) return NONE;
  const [taints, avoid] = [text(TAINTS), text(AVOID)];
  return joined(
    found(all[taints], taints, PATH, (json) => validateTaints(listOf(json, TAINT), `${PATH}.${taints}`)),
    found(all[avoid], avoid, `${PATH}.AvoidPods`, (json) => {
      const { preferAvoidPods } = (parseJson(json).value ?? {}) as AvoidPods;
      return eachItem(preferAvoidPods, `${PATH}.${avoid}`, validateAvoided);
    }),
  );
}

/** @param path of a text that cannot be read; 1.32 shows its key */
function found(text: string | undefined, key: string, path: string, check: (text: string) => readonly FieldError[]): readonly FieldError[] {
  if (!text) return NONE;
  try {
    return check(text);
  } catch (error) {
    return [invalid(path, key, (error as Error).message)];
  }
}

function validateAvoided(entry: AvoidedPod | null, at: string): readonly FieldError[] {
  const controller = entry?.podSignature?.podController;
  if (!controller) return [required(`${at}.PodSignature`)];
  return controller.controller === true ? NONE : [invalid(`${at}.PodSignature.PodController.Controller`, false, 'must be true')];
}
