import type { CSINode, CSINodeDriver } from '../../../generated/storage/v1/types.ts';
import { type FieldError, invalid, Notation } from '../../contract/field-error.ts';
import { goQuote } from '../../go-text/quote.ts';
import { goAddress, goStrings, goStructure, NO_STRINGS } from '../../go-text/values.ts';
import { deepEqual } from '../../schema/equal.ts';

/** Drivers come and go; one that stays does not change. 1.32 has a path of its own for it. */
export function sameDrivers({ spec }: CSINode, old: CSINode | undefined): readonly FieldError[] {
  const byName = Map.groupBy(spec.drivers ?? [], ({ name }) => name);
  return (old?.spec.drivers ?? [])
    .flatMap((before) => (byName.get(before.name) ?? []).filter((driver) => !deepEqual(driver, before)))
    .map((driver) => invalid('.CSINodeDriver', new Notation(goDriver(driver)), 'field is immutable'));
}

function goDriver({ name, nodeID, topologyKeys, allocatable }: CSINodeDriver): string {
  return goStructure('storage.CSINodeDriver', {
    Name: goQuote(name),
    NodeID: goQuote(nodeID),
    TopologyKeys: topologyKeys ? goStrings(topologyKeys) : NO_STRINGS,
    Allocatable: `(*storage.VolumeNodeResources)(${allocatable === undefined ? 'nil' : goAddress()})`,
  });
}
