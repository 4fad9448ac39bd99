import type { flagsData } from '../../../generated/flags.ts';
import type { FlagValues } from '../../server/flags/flags.ts';

/** The values of this program's flags. */
export type Flags = FlagValues<typeof flagsData>;
