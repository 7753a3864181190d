package io.sluice.node.gateway.auth;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Keeps the keys of issuers at hand, and up to date until it is closed. Safe for use by many threads; never blocks. */
interface KeySupply extends AutoCloseable {

    /** The newest that are known; null if there are none yet. */
    @Nullable
    KeyRing latest();

    /** Newer ones, if it is time to ask for them; else those that are known, at once. Never fails. */
    CompletionStage<@Nullable KeyRing> newer();

    /** What is wrong; empty if nothing is. */
    String fault();

    @Override
    void close();
}
