/** Reads the eviction thresholds of the configuration as 1.32 does. A resource of the node is short while less of it is available than a threshold says. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';
import { parseQuantity } from '../../schema/scalar/quantity.ts';
import { ScalarError } from '../../schema/scalar/scalar-error.ts';
import { amountOf } from './amounts.ts';
import { SIGNALS, type Signal, type Supply } from './machine.ts';

export interface Threshold {
  readonly signal: Signal;
  /** the amount below which the available supply is short */
  readonly amount: Amount;
  readonly isHard: boolean;
  /** milliseconds for which the supply must be short before that counts; 0 for a hard threshold */
  readonly grace: number;
}

/** Either a number of bytes, inodes or processes, or a part of the capacity, from 0 to 1, with the precision of 32 bits that 1.32 has for it. */
export type Amount = { readonly quantity: number } | { readonly part: number };

/** Something that is wrong in the configuration. */
export interface ConfigurationFault {
  /** the names that lead to the field, from the outermost on; empty if no single field is wrong. Names may contain dots, so this is no dotted path */
  readonly path: readonly string[];
  readonly problem: string;
}

/** Reads the hard and the soft thresholds. @returns those that can be read, without those that are switched off, and all that is wrong with the others */
export function readThresholds(configuration: NodeAgentConfiguration): { thresholds: Threshold[]; faults: ConfigurationFault[] } {
  const { evictionHard = {}, evictionSoft = {}, evictionSoftGracePeriod = {} } = configuration;
  const faults: ConfigurationFault[] = [];
  const read = (field: 'evictionHard' | 'evictionSoft', signal: string, text: string, grace: number): Threshold[] => {
    const amount = isSignal(signal) ? parseAmount(text) : `unsupported eviction signal ${signal}`;
    if (typeof amount === 'string') faults.push({ path: [field, signal], problem: amount });
    return typeof amount === 'object' ? [{ signal: signal as Signal, isHard: field === 'evictionHard', amount, grace }] : [];
  };
  const hard = Object.entries(evictionHard).flatMap(([signal, text]) => read('evictionHard', signal, text, 0));
  const soft = Object.entries(evictionSoft).flatMap(([signal, text]) => {
    const grace = graceOf(signal, evictionSoftGracePeriod[signal]);
    if (typeof grace === 'string') faults.push({ path: ['evictionSoft', signal], problem: grace });
    return read('evictionSoft', signal, text, typeof grace === 'string' ? 0 : grace);
  });
  return { thresholds: [...hard, ...soft], faults };
}

const isSignal = (text: string): text is Signal => (SIGNALS as readonly string[]).includes(text);

/** Reads the grace period of a soft threshold. @returns milliseconds, or a text that tells what is wrong */
function graceOf(signal: string, text: string | undefined): number | string {
  if (text === undefined) return `grace period must be specified for the soft eviction threshold ${signal}`;
  const span = parseDuration(text);
  if (span === undefined || span < 0n)
    return `invalid eviction grace period ${JSON.stringify(text)}: a positive duration such as 1m30s is expected`;
  return Number(span) / 1e6;
}

/** Reads the amount of a threshold. @returns undefined for 0% and 100%, which switch the threshold off; a text that tells what is wrong */
function parseAmount(text: string): Amount | undefined | string {
  if (text === '0%' || text === '100%') return undefined;
  if (text.endsWith('%')) {
    const percent = /^[+-]?\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
    if (Number.isNaN(percent)) return `${JSON.stringify(text)} is no percentage`;
    if (percent < 0) return `eviction percentage threshold must be >= 0%: ${text}`;
    return percent > 100 ? `eviction percentage threshold must be <= 100%: ${text}` : { part: Math.fround(Math.fround(percent) / 100) };
  }
  try {
    const quantity = amountOf(parseQuantity(text));
    return quantity > 0 ? { quantity } : `eviction threshold must be positive: ${text}`;
  } catch (error) {
    if (error instanceof ScalarError) return error.message;
    throw error;
  }
}

/** Converts an amount to the unit of the supply, whose capacity is given. */
export function thresholdIn(amount: Amount, capacity: number): number {
  return 'quantity' in amount ? amount.quantity : Math.floor(capacity * amount.part);
}

export const isShort = ({ amount }: Threshold, { available, capacity }: Supply): boolean => available < thresholdIn(amount, capacity);
