/** Checks rule 2 for definitions without a webhook. An object goes from version to version unchanged there, so what the other version does not have is lost. */
import { compareVersions } from '../../../runtime/contract/version-priority.ts';
import { objectAt } from '../../read/sources.ts';
import type { PolicyCode } from '../policy-codes.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { Definition } from './definition.ts';

/** Something that an object of one version loses in another one. */
export interface ConversionLoss {
  readonly code: PolicyCode;
  readonly from: string;
  readonly path: string;
  readonly was: string;
  readonly is: string;
}

/**
 * Compares the versions that are served or stored with each other.
 * @returns what one of them takes and another one drops or refuses
 */
export function conversionLosses({ spec, versions }: Definition): ConversionLoss[] {
  if (objectAt(spec, 'conversion').strategy === 'Webhook' || spec.preserveUnknownFields === true) return [];
  const used = versions.filter(({ served, storage }) => served || storage).sort((a, b) => compareVersions(a.name, b.name));
  return used.flatMap((from) =>
    used
      .filter((to) => to !== from)
      .flatMap((to) => {
        const losses: ConversionLoss[] = [];
        compareSchemas(from.schema, to.schema, (code, path, keyword, was, is) => {
          if (code === 'CP110')
            losses.push({ code: 'CP201', from: from.name, path, was: `a field of ${from.name}`, is: `dropped in ${to.name}` });
          else if (REFUSES.includes(code))
            losses.push({
              code: 'CP202',
              from: from.name,
              path,
              was: `${keyword} ${was} in ${from.name}`.trim(),
              is: `${keyword} ${is} in ${to.name}`.trim(),
            });
        });
        return losses;
      }),
  );
}

/** Findings that mean that another version refuses a value of the one version, or takes it for something else. */
const REFUSES: readonly PolicyCode[] = ['CP111', 'CP115', 'CP116', 'CP117', 'CP118', 'CP119', 'CP132'];
