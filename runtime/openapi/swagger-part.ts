/**
 * What one OpenAPI 3.0 document says of the Swagger 2.0 document of all: each of its members as JSON, made once for as long as that document is served. A
 * change of one of many definitions makes one part anew.
 */
import type { OpenapiDocument } from './document.ts';
import { slices } from './gnostic/slices.ts';
import { SwaggerBuilder, type SwaggerDocument } from './swagger.ts';

/** Members of the whole document that have members of many parts. */
export const SHARED = ['paths', 'definitions', 'parameters', 'securityDefinitions'] as const;
export type Shared = (typeof SHARED)[number];

export interface SwaggerPart {
  readonly info: SwaggerDocument['info'];
  /** JSON by name */
  readonly members: Readonly<Record<Shared, ReadonlyMap<string, Buffer>>>;
}

export async function swaggerPart(document: OpenapiDocument): Promise<SwaggerPart> {
  const pause = slices();
  const builder = new SwaggerBuilder();
  for (const _ of builder.add(document)) await pause();
  const whole = builder.finish();
  const members: Partial<Record<Shared, ReadonlyMap<string, Buffer>>> = {};
  for (const name of SHARED) {
    const texts = new Map<string, Buffer>();
    for (const [key, value] of Object.entries(whole[name])) {
      texts.set(key, Buffer.from(JSON.stringify(value)));
      await pause();
    }
    members[name] = texts;
  }
  return { info: whole.info, members: members as SwaggerPart['members'] };
}

/** The members of all parts in alphabetical order; of those with one name the first. */
export function mergedMembers(parts: readonly SwaggerPart[], name: Shared): [string, Buffer][] {
  const merged = new Map<string, Buffer>();
  for (const { members } of parts) for (const [key, json] of members[name]) if (!merged.has(key)) merged.set(key, json);
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1));
}
