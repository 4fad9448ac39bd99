/** An issuer of JSON web tokens as a configuration states it. */

/** Where a user's name or groups come from: a claim, with what is put before its values, or an expression over all claims. */
export interface Mapping {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

/** As `jwt[]` of the kind AuthenticationConfiguration has it. */
export interface StatedIssuer {
  readonly issuer: {
    readonly url: string;
    /** absent: below the issuer's own address */
    readonly discoveryURL?: string;
    /** PEM; absent: the system's */
    readonly certificateAuthority?: string;
    /** a token must be for one of them */
    readonly audiences: readonly string[];
  };
  readonly claimMappings: {
    readonly username: Mapping;
    readonly groups?: Mapping;
    readonly uid?: Mapping;
    readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly claimValidationRules?: readonly {
    readonly claim?: string;
    readonly requiredValue?: string;
    readonly expression?: string;
    readonly message?: string;
  }[];
  readonly userValidationRules?: readonly { readonly expression: string; readonly message?: string }[];
}
