package io.sluice.center.account;

import org.jspecify.annotations.Nullable;

/**
 * What a one-time link is for.
 *
 * @param user the account; null for the first administrator, who chooses a name
 */
public record SetUpReply(@Nullable String user) {}
