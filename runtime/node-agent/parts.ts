/** The parts of every node agent, in the order in which they start; each is loaded then. */
import type { StartPart } from './contract/part.ts';

export const PARTS: readonly StartPart[] = [
  async (context) => (await import('./checkpoint/runtime-part.ts')).startRuntimePart(context),
  async (context) => (await import('./device-plugins/device-plugins-part.ts')).startDevicePlugins(context),
  async (context) => (await import('./unsupported/unsupported-part.ts')).startUnsupported(context),
];
