package io.sluice.center.account;

import org.jspecify.annotations.Nullable;

/**
 * The purpose of a one-time link.
 *
 * @param user the account; null for the first administrator, who chooses a name
 */
public record SetUpReply(@Nullable String user) {}
