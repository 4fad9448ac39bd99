/** What a template of JSONPath finds in a JSON value, with the comparisons and failures of client-go. Members that are missing are no failure. */

import type { TemplateList, TemplateNode, TemplateSlice } from '../../schema/json/json-path-template.ts';
import { compareUtf8, isObject, type JsonObject } from '../../schema/json/member.ts';
import { isRawNumber, untypedNumber } from '../../schema/scalar/raw-number.ts';

/** What nodes lead to; a failure ends the template, but what was found so far still says whether something is there. */
export interface Results {
  readonly values: readonly unknown[];
  readonly failed?: true;
}

type Walk = (values: readonly unknown[]) => Results;

/** More values than this are a failure: a path may lead to each of them several times. */
const MOST_VALUES = 100_000;

export function resultsOf(list: TemplateList): Walk {
  const walks = list.map(walkOf);
  return (values) => {
    let results: Results = { values };
    for (const walk of walks) {
      results = walk(results.values);
      if (results.values.length > MOST_VALUES) return { values: results.values.slice(0, MOST_VALUES), failed: true };
      if (results.failed) return results;
    }
    return results;
  };
}

function walkOf(node: TemplateNode): Walk {
  switch (node.kind) {
    case 'text':
      return () => ({ values: [node.text] });
    case 'number':
    case 'boolean':
      return (values) => ({ values: values.map(() => (node.kind === 'number' ? new Literal(node.value, node.isInteger) : node.value)) });
    case 'field':
      return (values) => ({
        values: values.flatMap((value) => (isObject(value) && Object.hasOwn(value, node.name) ? [value[node.name]] : [])),
      });
    case 'slice':
      return (values) => sliced(values, node.slice);
    case 'wildcard':
      return (values) => ({ values: values.flatMap(contentOf) });
    case 'recursive':
      return (values) => ({ values: descendants(values) });
    case 'union':
      return unionOf(node.lists.map(resultsOf));
    case 'filter':
      return filterOf(resultsOf(node.left), node.operator, resultsOf(node.right));
    case 'identifier':
      // ranges repeat what stands behind them, and a column shows nothing but the first action
      return (values) => (node.name === 'range' ? { values: [] } : { values, failed: true });
  }
}

/** A number that is written in the template, and not in the object. */
class Literal {
  readonly value: number;
  readonly isInteger: boolean;

  constructor(value: number, isInteger: boolean) {
    this.value = value;
    this.isInteger = isInteger;
  }
}

/** Converts a result to a JSON value. */
export const jsonValueOf = (result: unknown): unknown => (result instanceof Literal ? result.value : result);

function sliced(values: readonly unknown[], { from, to, step = 1, isSingle }: TemplateSlice): Results {
  const failed: Results = { values, failed: true };
  const found: unknown[] = [];
  for (const list of values) {
    if (list === null || list === undefined) continue;
    if (!Array.isArray(list)) return failed;
    const first = from === undefined ? 0 : from < 0 ? from + list.length : from;
    const counted = to ?? list.length;
    const end = counted < 0 || (counted === 0 && isSingle) ? counted + list.length : counted;
    if (first === end) return { values: found };
    if (first < 0 || first >= list.length || end < 0 || end > list.length || first > end || step <= 0) return failed;
    for (let i = first; i < end; i += step) found.push(list[i]);
  }
  return { values: found };
}

function contentOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

/** All that holds something, with texts, which hold characters. */
function descendants(values: readonly unknown[]): unknown[] {
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    const content = contentOf(value);
    if (found.length > MOST_VALUES || (content.length === 0 && (typeof value !== 'string' || value === ''))) return;
    found.push(value);
    content.forEach(visit);
  };
  values.forEach(visit);
  return found;
}

function unionOf(walks: readonly Walk[]): Walk {
  return (values) => {
    const found: unknown[] = [];
    for (const walk of walks) {
      const results = walk(values);
      if (results.failed) return { values, failed: true };
      found.push(...results.values);
    }
    return { values: found };
  };
}

function filterOf(left: Walk, operator: string, right: Walk): Walk {
  return (values) => {
    const found: unknown[] = [];
    for (const list of values) {
      if (!Array.isArray(list)) return { values, failed: true };
      for (const element of list) {
        const outcome = operator === 'exists' ? left([element]).values.length > 0 : compared(left([element]), operator, right, element);
        if (outcome === undefined) return { values, failed: true };
        if (outcome) found.push(element);
      }
    }
    return { values: found };
  };
}

/** @returns undefined for what cannot be compared */
function compared(lefts: Results, operator: string, right: Walk, element: unknown): boolean | undefined {
  if (lefts.failed || lefts.values.length > 1) return undefined;
  if (lefts.values.length === 0) return false;
  const rights = right([element]);
  if (rights.failed || rights.values.length > 1) return undefined;
  if (rights.values.length === 0) return false;
  const one = operandOf(lefts.values[0]);
  const other = operandOf(rights.values[0]);
  if (one === undefined || other === undefined || one.kind !== other.kind) return undefined;
  if (operator === '==') return one.value === other.value;
  if (operator === '!=') return one.value !== other.value;
  return one.kind === 'bool' ? undefined : inOrder(orderOf(one.value, other.value), operator);
}

function inOrder(order: number, operator: string): boolean | undefined {
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return undefined;
  }
}

interface Operand {
  readonly kind: 'bool' | 'int' | 'float' | 'string';
  readonly value: boolean | number | bigint | string;
}

/** @returns undefined for what has no order: nothing, lists and objects */
function operandOf(value: unknown): Operand | undefined {
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'string') return { kind: 'string', value };
  if (value instanceof Literal)
    return value.isInteger ? { kind: 'int', value: BigInt(value.value) } : { kind: 'float', value: value.value };
  const number = isRawNumber(value) ? untypedNumber(value) : value;
  if (isRawNumber(number)) return { kind: 'int', value: BigInt(number.rawJSON) };
  if (typeof number !== 'number') return undefined;
  return Number.isSafeInteger(number) ? { kind: 'int', value: BigInt(number) } : { kind: 'float', value: number };
}

function orderOf(one: Operand['value'], other: Operand['value']): number {
  if (typeof one === 'string' && typeof other === 'string') return compareUtf8(one, other);
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Follows members alone, as most paths do. @returns undefined for a path of other nodes */
export function plainMember(list: TemplateList): ((value: unknown) => unknown[]) | undefined {
  const names = list.flatMap((node) => (node.kind === 'field' ? [node.name] : []));
  if (names.length < list.length) return undefined;
  return (value) => {
    let at = value;
    for (const name of names) {
      if (!isObject(at) || !Object.hasOwn(at, name)) return [];
      at = (at as JsonObject)[name];
    }
    return [at];
  };
}
