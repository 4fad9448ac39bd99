import type { AdmissionAttributes } from './attributes.ts';

/** One admission plugin; a member that is absent has nothing to do in that phase. Both throw StatusError to refuse. */
export interface AdmissionPlugin {
  readonly name: string;
  /** may change `attributes.object` */
  mutate?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
