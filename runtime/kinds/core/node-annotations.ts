/** Annotations of nodes that said what taints say now; 1.32 still looks at them. */
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { parseJson } from '../../schema/json-text.ts';
import { eachItem } from './findings.ts';
import { type ElementType, listOf } from './json-annotation.ts';
import { validateTaints } from './scheduling.ts';

const TAINTS = 'scheduler.alpha.${labelDomain}/taints';
const AVOID = 'scheduler.alpha.${labelDomain}/preferAvoidPods';
const PATH = 'metadata.annotations';
/** As far as it is looked at; nobody has checked it. */
interface AvoidPods {
  readonly preferAvoidPods?: readonly (AvoidEntry | null)[];
}

interface AvoidEntry {
  readonly podSignature?: { readonly podController?: { readonly controller?: unknown } } | null;
}

const TAINT: ElementType = { name: 'Taint', members: { key: 'string', value: 'string', effect: 'string', timeAdded: 'string' } };

export function validateNodeAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  context: RuleContext,
): readonly FieldError[] {
  if (annotations === undefined) return [];
  return [...validateTaintText(annotations, context.text(TAINTS)), ...validateAvoidText(annotations, context.text(AVOID))];
}

function validateTaintText(annotations: Readonly<Record<string, string>>, key: string): readonly FieldError[] {
  if (!annotations[key]) return [];
  try {
    return validateTaints(listOf(annotations[key], TAINT), `${PATH}.${key}`);
  } catch (error) {
    return [invalid(PATH, key, (error as Error).message)];
  }
}

function validateAvoidText(annotations: Readonly<Record<string, string>>, key: string): readonly FieldError[] {
  if (!annotations[key]) return [];
  try {
    const { preferAvoidPods } = (parseJson(annotations[key]).value ?? {}) as AvoidPods;
    return eachItem(preferAvoidPods, `${PATH}.${key}`, validateEntry);
  } catch (error) {
    return [invalid(`${PATH}.AvoidPods`, key, (error as Error).message)];
  }
}

function validateEntry(entry: AvoidEntry | null, at: string): readonly FieldError[] {
  const controller = entry?.podSignature?.podController;
  if (!controller) return [required(`${at}.PodSignature`)];
  return controller.controller === true ? [] : [invalid(`${at}.PodSignature.PodController.Controller`, false, 'must be true')];
}
